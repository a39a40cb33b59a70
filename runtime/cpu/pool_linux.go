package cpu

import "syscall"

// yield lets another thread have the processor, for example a worker that runs a turn. It is a system call by
// Go's rules: the garbage collector may scan this goroutine's stack during the call, since the worker may be
// waiting for the collector.
func yield() { syscall.Syscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
