//go:build !amd64 || purego

package cpu

// pause waits for a short time.
func pause(n int) {
	for range n * 16 {
		_ = workers.limit.Load()
	}
}
