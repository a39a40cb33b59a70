// Package launch runs the peers of a program as processes on this machine. It makes their keys, tells each
// which peers to admit, and passes on their lines of -events. Their network messages are the same as between
// machines.
package launch

import (
	"bufio"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A Peer is a process to be started.
type Peer struct {
	Class  string
	Rank   int      // among those of the class
	Binary string   // the built main of the class
	Args   []string // in addition to those of the launcher
}

// Name returns the name of the peer: client-3.
func (p *Peer) Name() string { return fmt.Sprintf("%s-%d", p.Class, p.Rank) }

// Options configure a fleet.
type Options struct {
	Dir   string // for keys and state
	Peers []Peer
	At    string    // the address of a broker for all peers; "": each listens at a port of its own
	State bool      // each stores snapshots, and resumes from them when it is started again
	Seed  uint64    // of the program
	Log   io.Writer // for the logs of peers; may be nil
}

// A Fleet is a set of running peers.
type Fleet struct {
	opt    Options
	lines  chan peer.Line
	mu     sync.Mutex
	procs  []*process // nil: it is not running, or has been told to end
	codes  []int      // exit codes of the processes that have ended
	over   bool       // no process is started any more
	lock   sync.Mutex // guards Log
	events sync.WaitGroup
}

// process is a running peer. began is closed when it was started, or with a nil cmd if that failed; gone is
// closed when it has ended and all of its output is read.
type process struct {
	cmd         *exec.Cmd
	log         *tail
	began, gone chan struct{}
	told        bool // to end, by the launcher; guarded by the fleet's mu
}

// Start starts all peers. Each knows all others, and uses its part of the processor cores: results do not
// depend on their number.
func Start(o Options) (*Fleet, error) {
	f := &Fleet{opt: o, lines: make(chan peer.Line, 1024), procs: make([]*process, len(o.Peers)), codes: make([]int, len(o.Peers))}
	if err := f.prepare(); err != nil {
		return nil, err
	}
	for i := range o.Peers {
		if err := f.Restart(i); err != nil {
			f.Stop()
			return nil, err
		}
	}
	return f, nil
}

// prepare makes keys, finds free ports, and writes the list of peers.
func (f *Fleet) prepare() error {
	at, err := f.places()
	if err != nil {
		return err
	}
	var members []peer.Member
	for i, p := range f.opt.Peers {
		dir := f.dir(i)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		key, err := peer.NewKey(filepath.Join(dir, "key.pem"))
		if err != nil {
			return err
		}
		id, err := wire.PeerIDOf(key.Public().(ed25519.PublicKey))
		if err != nil {
			return err
		}
		members = append(members, peer.Member{ID: id, Class: p.Class, Rank: p.Rank, Addresses: []wire.Address{at[i]}})
	}
	b, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return os.WriteFile(f.roster(), b, 0o600)
}

// places returns the addresses at which the peers listen.
func (f *Fleet) places() ([]wire.Address, error) {
	if f.opt.At != "" {
		return slices.Repeat([]wire.Address{wire.Address(f.opt.At)}, len(f.opt.Peers)), nil
	}
	ip := Loopback()
	ports, err := freePorts(ip, len(f.opt.Peers))
	var list []wire.Address
	for _, p := range ports {
		list = append(list, wire.Address(fmt.Sprintf("/ip4/%s/tcp/%d", ip, p)))
	}
	return list, err
}

func (f *Fleet) dir(i int) string { return filepath.Join(f.opt.Dir, f.opt.Peers[i].Name()) }
func (f *Fleet) roster() string   { return filepath.Join(f.opt.Dir, "peers.json") }

// freePorts finds free ports of an address.
//
// NB: if the address is shared, another process may take one before the peer does; then the peer reports that
// and ends.
func freePorts(ip string, n int) ([]int, error) {
	var out []int
	for range n {
		l, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
		if err != nil {
			return nil, err
		}
		defer l.Close()
		out = append(out, l.Addr().(*net.TCPAddr).Port)
	}
	return out, nil
}

// ErrStopped is returned by [Fleet.Restart] after [Fleet.Stop].
var ErrStopped = errors.New("the fleet has been stopped")

// Restart starts a peer that is not running.
func (f *Fleet) Restart(i int) error {
	run := &process{log: &tail{mu: &f.lock, w: f.opt.Log}, gone: make(chan struct{}), began: make(chan struct{})}
	defer close(run.began)
	if err := f.claim(i, run); err != nil {
		return err
	}
	err := f.begin(i, run)
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.procs[i] == run {
			f.procs[i] = nil
		}
		f.events.Done()
	}
	return err
}

// claim reserves a peer for a process that is about to be started.
func (f *Fleet) claim(i int, run *process) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return ErrStopped
	}
	if f.procs[i] != nil {
		return fmt.Errorf("%s runs already", f.opt.Peers[i].Name())
	}
	f.procs[i] = run
	f.events.Add(1)
	return nil
}

// begin starts a process. Only calls that end the process wait for it.
func (f *Fleet) begin(i int, run *process) error {
	p := &f.opt.Peers[i]
	args, err := f.args(i)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.Binary, append(args, p.Args...)...)
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", max(1, runtime.NumCPU()/len(f.opt.Peers))))
	ownGroup(cmd)
	cmd.Stderr = run.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	run.cmd = cmd
	go func() {
		defer f.events.Done()
		f.follow(i, run, out)
	}()
	return nil
}

func (f *Fleet) args(i int) ([]string, error) {
	p := &f.opt.Peers[i]
	b, err := os.ReadFile(f.roster())
	if err != nil {
		return nil, err
	}
	var members []peer.Member
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, err
	}
	args := []string{
		"-key", filepath.Join(f.dir(i), "key.pem"), "-peers", f.roster(), "-listen", string(members[i].Addresses[0]),
		"-rank", strconv.Itoa(p.Rank), "-seed", strconv.FormatUint(f.opt.Seed, 10), "-events", "-", "-log-level", "warn",
	}
	if f.opt.State {
		args = append(args, "-state", filepath.Join(f.dir(i), "state"))
	}
	return args, nil
}

// KilledOutside is the error of a peer that was killed by something other than [Fleet.Kill].
const KilledOutside = "killed by kill -9, or by the system as memory ran out"

// follow passes on the lines of a peer, and finally a line of kind "exited", with an error if the peer failed
// without having been told to end.
func (f *Fleet) follow(i int, p *process, out io.Reader) {
	defer close(p.gone)
	f.read(out)
	err := p.cmd.Wait()
	l := peer.Line{Time: time.Now(), Peer: f.opt.Peers[i].Name(), Kind: "exited"}
	f.mu.Lock()
	f.codes[i] = p.cmd.ProcessState.ExitCode()
	if f.procs[i] == p {
		f.procs[i] = nil
		switch {
		case p.told:
		case p.cmd.ProcessState != nil && p.cmd.ProcessState.String() == "signal: killed":
			l.Error = KilledOutside
		case err != nil:
			l.Error = fmt.Sprintf("%v: %s", err, p.log.last)
		}
	}
	f.mu.Unlock()
	f.lines <- l
}

// maxLine is the largest size of an event in bytes.
const maxLine = 1 << 20

// read passes on the events in a peer's output until it ends. What is no event, or larger than one, is passed over: a
// peer whose output nobody reads would wait for ever.
func (f *Fleet) read(out io.Reader) {
	r := bufio.NewReaderSize(out, maxLine)
	for err, whole := error(nil), true; err == nil || errors.Is(err, bufio.ErrBufferFull); {
		var b []byte
		b, err = r.ReadSlice('\n')
		begins := whole // otherwise it is the rest of a line that is too large
		whole = !errors.Is(err, bufio.ErrBufferFull)
		var l peer.Line
		if begins && whole && json.Unmarshal(b, &l) == nil {
			f.lines <- l
		}
	}
}

// Lines returns the events of all peers, in order of arrival. The channel is closed when the fleet has stopped.
func (f *Fleet) Lines() <-chan peer.Line { return f.lines }

// ExitCode returns the exit code with which the last process of a peer has ended: -1 if it was killed, 0 before.
func (f *Fleet) ExitCode(i int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.codes[i]
}

// Pid returns the process id of a peer, or 0 if it is not running.
func (f *Fleet) Pid(i int) int {
	f.mu.Lock()
	p := f.procs[i]
	f.mu.Unlock()
	if !p.runs() {
		return 0
	}
	return p.cmd.Process.Pid
}

// runs waits until a process has been started, and reports whether that succeeded.
func (p *process) runs() bool {
	if p == nil {
		return false
	}
	<-p.began
	return p.cmd != nil
}

// Kill ends a peer like kill -9.
func (f *Fleet) Kill(i int) error { return f.end(i, os.Kill) }

func (f *Fleet) end(i int, s os.Signal) error {
	f.mu.Lock()
	p := f.procs[i]
	if p != nil {
		p.told = true
	}
	f.mu.Unlock()
	if !p.runs() {
		return nil
	}
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-p.gone
	return nil
}

// Stop ends all peers in an orderly way.
func (f *Fleet) Stop() {
	f.mu.Lock()
	before := f.over
	f.over = true
	f.mu.Unlock()
	if before {
		return
	}
	var all sync.WaitGroup
	for i := range f.opt.Peers {
		all.Go(func() { f.end(i, os.Interrupt) })
	}
	go func() {
		all.Wait()
		f.events.Wait()
		close(f.lines)
	}()
}

// tail writes the output of several processes to one log, which may be nil, and keeps the last line of one of
// them.
type tail struct {
	mu   *sync.Mutex
	w    io.Writer
	last string
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	t.last = lines[len(lines)-1]
	if t.w == nil {
		return len(b), nil
	}
	return t.w.Write(b)
}
