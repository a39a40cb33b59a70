package masked

import (
	"testing"

	"github.com/bbgen/bbgen/internal/bench/distributed/messages"
)

// The server sends the model, but gets no floating-point numbers from clients: only what secure aggregation masks.
func TestMessages(t *testing.T) {
	messages.Check(t, Program(),
		"client to server: int32",
		"client to server: uint8",
		"client to server: uint8",
		"client to server: uint8",
		"client to server: uint8",
		"server to client: float32",
		"server to client: int64",
		"server to client: uint8",
		"server to client: uint8",
		"server to client: uint8",
		"server to client: uint8",
	)
}
