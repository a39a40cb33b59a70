package program

import (
	"testing"

	"github.com/bbgen/bbgen/internal/bench/distributed/messages"
)

// The model goes to the clients, and comes back.
func TestMessages(t *testing.T) {
	messages.Check(t, Program(),
		"client to server: float32",
		"server to client: float32",
	)
}
