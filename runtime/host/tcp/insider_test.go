package tcp_test

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

// BenchmarkInsiders measures the rounds per second while insiders misbehave, each kind in turn: go test -bench
// Insiders -benchtime 1000x.
func BenchmarkInsiders(b *testing.B) { hosttest.Insiders(b, tcp.New, "/ip4/127.0.0.1/tcp/0") }
