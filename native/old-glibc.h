/*
 * Included first when the recorder is built for other machines (scripts/dist.mjs): glibc 2.34 moved these from libdl into libc
 * under new versions, which older systems do not have; the old versions are in all.
 */
__asm__(".symver dladdr,dladdr@GLIBC_2.2.5");
__asm__(".symver dlclose,dlclose@GLIBC_2.2.5");
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
