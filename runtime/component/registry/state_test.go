package registry

import (
	"testing"

	"github.com/bbgen/bbgen/internal/statetest"
	"github.com/bbgen/bbgen/runtime"
)

// The peers that have announced themselves are read by later versions.
func TestStates(t *testing.T) {
	at, s := node(t, "r", 0, everybody), &Server{}
	for i := byte(1); i <= 2; i++ {
		if err := announce(s, at, &Client{Registry: "r", TTL: 60}, node(t, "w", i, everybody)); err != nil {
			t.Fatal(err)
		}
	}
	statetest.Check(t, "server", s, func() runtime.Component { return &Server{} })
}
