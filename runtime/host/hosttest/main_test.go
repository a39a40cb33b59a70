package hosttest_test

import (
	"os"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/hosttest"
	"github.com/bbgen/bbgen/runtime/host/tcp"
)

// What is set in processes of [TestNotices]: the fault of the transport, and how long the suite waits for what
// must happen.
const (
	faultVariable    = "BBGEN_TEST_FAULT"
	patienceVariable = "BBGEN_TEST_PATIENCE"
)

const listen = "/ip4/127.0.0.1/tcp/0"

func TestMain(m *testing.M) {
	if d, err := time.ParseDuration(os.Getenv(patienceVariable)); err == nil {
		hosttest.SetPatience(d)
	}
	hosttest.Main(m, tcp.New)
}

// waiting are tests that wait for seconds, and do little that others do not. The tests of each transport run them.
var waiting = []string{"chaos", "reconnect", "log that nobody reads", "no room", "executions", "executions that nobody completes", "finished executions", "answers in vain"}

// TestTransport runs the suite but for what takes long. In processes of [TestNotices] the transport has a fault, and the
// suite is whole.
func TestTransport(t *testing.T) {
	if fault, ok := os.LookupEnv(faultVariable); ok {
		hosttest.Run(t, faults[fault], listen)
		return
	}
	if testing.Short() {
		t.Skip("the tests of each transport run the suite")
	}
	hosttest.Without(t, tcp.New, listen, waiting)
}
