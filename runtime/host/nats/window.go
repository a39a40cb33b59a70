package nats

// How much data of a stream may be in transit. The broker buffers it for a slow peer, and disconnects a peer
// with too much (64 MiB, unless its max_pending is different): all streams of a peer together stay below that.
const (
	largestWindow  = 512 << 10
	smallestWindow = 16 << 10
	allWindows     = 32 << 20
)

// window returns the window of a further stream beside others.
func window(others int) int {
	return max(smallestWindow, min(largestWindow, allWindows/(others+1)))
}

// largestPart is the maximum size of a message, if the broker accepts that.
const largestPart = 64 << 10
