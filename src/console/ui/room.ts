/** The space for a drawing, in cells. */
export interface Room {
  readonly width: number;
  readonly height: number;
}
