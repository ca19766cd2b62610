/*
 * The same for a program (scripts/dist.mjs): the start-up file of a newer glibc asks for a version that older systems do not have,
 * so the program brings its own first instructions, as the x86-64 ABI gives them. Built with -nostartfiles.
 */
__asm__(".symver __libc_start_main,__libc_start_main@GLIBC_2.2.5\n"
        ".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  mov %rdx, %r9\n"
        "  pop %rsi\n"
        "  mov %rsp, %rdx\n"
        "  and $-16, %rsp\n"
        "  push %rax\n"
        "  push %rsp\n"
        "  xor %r8d, %r8d\n"
        "  xor %ecx, %ecx\n"
        "  lea main(%rip), %rdi\n"
        "  call *__libc_start_main@GOTPCREL(%rip)\n"
        "  hlt\n");
