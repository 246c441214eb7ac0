/** A base URL as it is joined and compared: without a slash at its end. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/u, "");
