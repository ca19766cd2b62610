/** Only workers have it, and the library of DOM types does not list it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
  readAsText(blob: Blob): string;
}

/** Script and styles of a report, which the build puts in. */
declare const REPORT_ASSETS: {
  readonly script: string;
  readonly style: string;
};

/** Markup and styles of what the page itself shows. */
declare const SHELL_HTML: string;
declare const SHELL_CSS: string;
