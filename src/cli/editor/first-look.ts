/** Tells what was typed before a terminal was looked at from what is typed since. */
export class FirstLook {
  /** What is read now was there before. */
  early = false;
  private looks = 0;

  /** At the start, and again with all that is early: a terminal may hand over a line at a time. */
  look(): void {
    this.early = true;
    this.looks += 1;
    const { looks } = this;
    // An immediate may come before the next look at the terminal; the one after it does not.
    setImmediate(() => setImmediate(() => (this.early = this.early && looks !== this.looks)));
  }
}
