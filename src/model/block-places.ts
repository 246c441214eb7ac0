/** Where the blocks of a reply stand in it, by the index that the server gives them while they are open. */
export class BlockPlaces {
  readonly #open = new Map<unknown, number>();
  #next = 1;

  /** A new block under this index; one that was open under it is another. */
  open(index: unknown): number {
    const place = this.#next++;
    this.#open.set(index, place);
    return place;
  }

  /** The block that is open under this index; undefined: none is. */
  at(index: unknown): number | undefined {
    return this.#open.get(index);
  }

  /** The block that a piece belongs to; not all servers say where one begins. */
  of(index: unknown): number {
    return this.at(index) ?? this.open(index);
  }

  close(index: unknown): void {
    this.#open.delete(index);
  }
}
