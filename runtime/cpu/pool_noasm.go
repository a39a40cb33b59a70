//go:build !amd64 || purego

package cpu

// pause lets some time go by.
func pause(n int) {
	for range n * 16 {
		_ = workers.limit.Load()
	}
}
