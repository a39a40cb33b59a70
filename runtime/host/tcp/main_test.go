package tcp_test

import (
	"testing"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

func TestMain(m *testing.M) { hosttest.Main(m, tcp.New) }
