package cpu

import "syscall"

// yield lets another thread have the processor, a worker perhaps that has a turn in hand. It is a system call by Go's rules:
// the garbage collector may look at this goroutine's stack meanwhile, since the worker may be waiting for the collector.
func yield() { syscall.Syscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
