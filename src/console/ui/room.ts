/** Cells that something is drawn in. */
export interface Room {
  readonly width: number;
  readonly height: number;
}
