/** The program's version, inserted by the build; `0.0.0-source` when run from source, as in tests. */
declare const __OUTCRY_VERSION__: string;

export const VERSION: string = typeof __OUTCRY_VERSION__ === 'string' ? __OUTCRY_VERSION__ : '0.0.0-source';
