package stream

import (
	"testing"

	"github.com/bbgen/bbgen/internal/bench/distributed/messages"
)

// The source sends tensors on all lanes. The sink only sends their lengths.
func TestMessages(t *testing.T) {
	messages.Check(t, Program(),
		"sink to source: int64",
		"sink to source: int64",
		"sink to source: int64",
		"source to sink: float32",
		"source to sink: float32",
		"source to sink: float32",
	)
}
