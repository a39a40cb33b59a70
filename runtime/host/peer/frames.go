package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
)

// Frames reads messages with a length prefix from a stream, for servers that are no peers. It is an alias for
// their use: Next appends the next message to a slice, SetIdle sets how long to wait for it, Fill and Skip read
// bytes that follow a message.
type Frames = conversation.Frames

// NewFrames reads a stream. Once a message has begun, its bytes must keep arriving within the time stall.
func NewFrames(s Stream, stall time.Duration) *Frames { return conversation.NewFrames(s, stall) }
