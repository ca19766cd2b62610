/** Why no server can listen at an address, in words; undefined for reasons that an address does not explain. */
export function listenReason(error: unknown): string | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return "port already in use; choose another port";
    case "EADDRNOTAVAIL":
      return "not an address of this machine";
    case "EACCES":
      return "permission denied; ports below 1024 need root";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "no such host name";
    default:
      return undefined;
  }
}
