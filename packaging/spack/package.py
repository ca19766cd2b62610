from spack.package import *

try:
    # Spack 1.0 and later; before, spack.package had it.
    from spack_repo.builtin.build_systems.generic import Package
except ImportError:
    pass


class Plimsoll(Package):
    """Measures, explains and improves I/O on parallel storage."""

    homepage = "https://example.org/plimsoll"
    # A copy of what `npm run dist` made; set the place of yours.
    url = "file:///opt/dist/plimsoll-VERSION-linux-x64.tar.xz"

    license("Apache-2.0")
    version("VERSION", sha256="SHA256")

    conflicts("platform=darwin")
    conflicts("target=aarch64:")

    sanity_check_is_file = ["bin/plimsoll", "libexec/plimsoll/node"]

    def install(self, spec, prefix):
        for folder in ("bin", "lib", "libexec", "share"):
            install_tree(folder, join_path(prefix, folder))

    @run_after("install")
    def runs(self):
        Executable(self.prefix.bin.plimsoll)("--version")
