//go:build !linux

package tensor

const hasLargePages = false

// requestLargePages and forgo do nothing on this system.
func requestLargePages([]byte) {}

func forgo([]byte) {}
