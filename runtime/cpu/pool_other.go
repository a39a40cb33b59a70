//go:build !linux

package cpu

import "runtime"

// yield lets another goroutine have the thread.
func yield() { runtime.Gosched() }
