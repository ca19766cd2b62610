/** The version of the GNU C library that runs this program; "unknown" with another library. */
export function libcVersion(): string {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime ?? "unknown";
}
