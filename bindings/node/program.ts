/** The path of the program: PROMPTC_BIN if that is set, else that of the package for this platform. */
export function program(): string {
  const name = process.platform === "win32" ? "promptc.exe" : "promptc";
  const own = process.env["PROMPTC_BIN"];
  if (own) return own;
  const platform = `${process.platform}-${process.arch}`;
  try {
    return require.resolve(`promptc-cli-${platform}/${name}`);
  } catch {
    throw new Error(
      `the package promptc-cli-${platform} with the program for ${platform} is not installed: ` +
        "install it with the optional dependencies, or name a program with PROMPTC_BIN",
    );
  }
}
