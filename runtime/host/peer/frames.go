package peer

import (
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
)

// Frames reads messages off a stream, each behind its length, for servers that are no
// peers. It is an alias, as they write its name: Next appends the next message to a slice,
// SetIdle says how long it may be waited for, Fill and Skip read bytes that follow one.
type Frames = conversation.Frames

// NewFrames reads a stream. A message that has begun must go on within the time stall.
func NewFrames(s Stream, stall time.Duration) *Frames { return conversation.NewFrames(s, stall) }
