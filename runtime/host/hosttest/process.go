package hosttest

import (
	"math"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// serverVariable is set if the binary of a test is to run the server of [Insiders].
const serverVariable = "BBGEN_TEST_SERVER"

// Main runs tests, or the server of [Insiders] as a separate process, so that its processor time is separate
// from that of attackers. Call it from TestMain.
func Main(m *testing.M, create New) {
	if os.Getenv(serverVariable) == "" {
		os.Exit(m.Run())
	}
	k := &kit{create: create}
	peer.Main(k.program(besiegedServer(), invoke("server", []float64{8, -3})))
}

// besiegedServer returns a server with endless rounds, of which two clients are a quorum.
func besiegedServer() *runtime.Partition { return handmade.Server(math.MaxInt32, 2, 0) }

// process is a peer that runs as a separate process.
type process struct {
	node
	cmd *exec.Cmd
}

// startServer starts the server of [Insiders].
func startServer(b *testing.B, args ...string) *process {
	b.Helper()
	p := &process{node: node{t: b, prog: peer.Program{Class: "server"}}}
	p.more = sync.NewCond(&p.mu)
	p.cmd = exec.Command(os.Args[0], append([]string{"-events", "-", "-log", "none"}, args...)...)
	p.cmd.Env = append(os.Environ(), serverVariable+"=1")
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.listen(out)
	}()
	b.Cleanup(func() {
		p.cmd.Process.Kill()
		<-read
		p.cmd.Wait()
	})
	return p
}

// spent kills the process and returns its processor time.
func (p *process) spent() time.Duration {
	p.cmd.Process.Kill()
	p.mu.Lock()
	for !p.over {
		p.more.Wait()
	}
	p.mu.Unlock()
	p.cmd.Wait()
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}
