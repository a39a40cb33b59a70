//go:build unix

package disk

import "syscall"

// nonblock is the flag with which opening a pipe does not wait for its other end.
const nonblock = syscall.O_NONBLOCK
