package runtime_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestTranscripts plays the scripts in testdata: each line reports an event to one of a few nodes, or prints
// its outputs. Envelopes that the nodes send get a number and wait until a line delivers them.
//
//	node NAME PROGRAM [ARG…]    makes a node: ping 3, pong, server 3 2 1s, client 0, stage 0;
//	                            skipping, repeating and waiting are servers, too;
//	                            reducer RANK ROUNDS IFLOST, failing RANK ROUNDS IFLOST ROUND, stepper RANK STEPS
//	option NAME[=VALUE]         for nodes to come: durable, heartbeat, resend=1s, edge
//	connect A B                 opens a channel; disconnect A B closes it
//	invoke A MODULE X,Y,…       begins an execution
//	poll A                      carries out all that the node wants
//	deliver N…                  delivers envelopes; drop N loses one; corrupt N flips a bit
//	settle                      polls all nodes and delivers all between connected ones, until nothing moves;
//	                            prints events only
//	tick D                      lets time pass for all nodes; alive A B is an answer of B to a ping
//	complete A [ERROR]          completes the command that was run first
//	snapshot A                  keeps a snapshot; persisted A says that it is safe
//	crash A                     ends a node; restore A begins its next incarnation, anew A one without a snapshot
//	stats A                     prints counters
//	waits A                     prints what executions wait for
func TestTranscripts(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		w := &world{nodes: map[string]*member{}, packets: map[int]packet{}}
		for line := range strings.Lines(a.Get("script")) {
			line = strings.TrimSpace(line)
			if line == "" {
				w.printf("\n")
				continue
			}
			w.printf("> %s\n", line)
			if line[0] != '#' {
				if err := w.do(strings.Fields(line)); err != nil {
					w.printf("error: %v\n", err)
				}
			}
		}
		a.Check("out/transcript", w.readable())
	})
}

type world struct {
	nodes   map[string]*member
	order   []*member
	packets map[int]packet
	sent    int
	now     int64
	options runtime.Config
	out     strings.Builder
}

type member struct {
	*runtime.Node
	name, class string
	config      runtime.Config
	program     []string
	saved, safe []byte
	commands    []runtime.Output
	start       int64
}

type packet struct {
	from, to *member
	bytes    []byte
}

func (w *world) printf(format string, args ...any) { fmt.Fprintf(&w.out, format, args...) }

// readable returns the transcript with names in place of peer ids.
func (w *world) readable() string {
	var pairs []string
	for _, m := range w.order {
		pairs = append(pairs, m.config.Self.String(), m.name)
	}
	return strings.NewReplacer(pairs...).Replace(w.out.String())
}

func partition(program []string) (p *runtime.Partition, rank int, err error) {
	num := func(i int) int {
		v, e := strconv.Atoi(program[i])
		if e != nil {
			err = e
		}
		return v
	}
	switch program[0] {
	case "ping":
		p = handmade.Ping(num(1))
	case "pong":
		p = handmade.Pong()
	case "server":
		within, e := time.ParseDuration(program[3])
		if err = e; err == nil {
			p = handmade.Server(num(1), num(2), int64(within))
		}
	case "skipping", "repeating", "waiting":
		within, e := time.ParseDuration(program[3])
		if err = e; err == nil {
			p = handmade.Lasting(num(1), num(2), int64(within), policies[program[0]])
		}
	case "client":
		rank = num(1)
		p = handmade.Client(&handmade.Trainer{Rank: rank})
	case "stage":
		p = handmade.Stage(num(1))
	case "reducer":
		rank = num(1)
		p = handmade.Reducer(rank, num(2), collective.Auto, losses[program[3]])
	case "failing":
		rank = num(1)
		p = handmade.FailingReducer(rank, num(2), collective.Auto, losses[program[3]], num(4))
	case "stepper":
		rank = num(1)
		p = handmade.Stepper(rank, num(2), 2)
	default:
		err = fmt.Errorf("no program %s", program[0])
	}
	return p, rank, err
}

// policies are the servers whose loop continues without a quorum.
var policies = map[string]runtime.ShortPolicy{"skipping": runtime.ShortSkips, "repeating": runtime.ShortRepeats, "waiting": runtime.ShortWaits}

// losses are what reducers do when one of them is lost.
var losses = map[string]collective.IfLost{"fail": collective.Fail, "wait": collective.Wait, "repeat": collective.Repeat}

func (w *world) do(f []string) error {
	switch f[0] {
	case "settle":
		return w.settle()
	case "node":
		return w.node(f[1], f[2:])
	case "option":
		return w.option(f[1])
	case "tick":
		d, err := time.ParseDuration(f[1])
		w.now += int64(d)
		return err
	case "deliver", "drop", "corrupt":
		for _, x := range f[1:] {
			if err := w.packet(f[0], x); err != nil {
				return err
			}
		}
		return nil
	}
	m := w.nodes[f[1]]
	if m == nil {
		return fmt.Errorf("no node %s", f[1])
	}
	return w.tell(m, f)
}

func (w *world) node(name string, program []string) error {
	p, rank, err := partition(program)
	if err != nil {
		return err
	}
	id, _ := wire.PeerIDOf([]byte(strings.Repeat(name, 32)[:32]))
	m := &member{name: name, class: p.Class, program: program, config: w.options, start: w.now}
	m.config.Self, m.config.Rank, m.config.Incarnation = id, rank, 1
	if m.Node, err = runtime.New(m.config, p); err != nil {
		return err
	}
	for _, o := range w.order {
		w.introduce(o, m)
		w.introduce(m, o)
	}
	w.nodes[name] = m
	w.order = append(w.order, m)
	return nil
}

// settle runs all nodes until there is nothing to deliver.
func (w *world) settle() error {
	for moved := true; moved; {
		moved = false
		for _, m := range w.order {
			for m.Node != nil {
				o, ok := m.Poll(w.now - m.start)
				if !ok {
					break
				}
				switch o.Kind {
				case runtime.Tell:
					w.printf("%s: %s\n", m.name, describe(*o.Event))
				case runtime.Checkpoint: // the disk is quick here
					b, err := m.Snapshot(nil)
					if err != nil {
						return err
					}
					m.saved, m.safe = b, b
					m.Persisted(w.now - m.start)
				case runtime.Run:
					m.commands = append(m.commands, o)
				case runtime.Send:
					to := w.member(o.Peer)
					if to.Node == nil {
						continue
					}
					moved = true
					if err := to.Deliver(w.now-to.start, m.config.Self, wire.AppendEnvelope(nil, o.Envelope)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// member returns the member with an id.
func (w *world) member(id wire.PeerID) *member {
	i := slices.IndexFunc(w.order, func(m *member) bool { return m.config.Self == id })
	return w.order[i]
}

func (w *world) introduce(m, o *member) {
	pc := runtime.PeerConfig{ID: o.config.Self, Class: o.class, Rank: o.config.Rank}
	m.config.Peers = append(m.config.Peers, pc)
	m.Allow(pc)
}

func (w *world) option(x string) error {
	name, value, _ := strings.Cut(x, "=")
	switch name {
	case "durable":
		w.options.Durable = true
	case "heartbeat":
		w.options.Heartbeat = 100e6
	case "resend":
		d, err := time.ParseDuration(value)
		w.options.Resend = int64(d)
		return err
	case "edge":
		w.options.Limits = limits.Edge()
	default:
		return fmt.Errorf("no option %s", name)
	}
	return nil
}

func (w *world) packet(do, number string) error {
	i, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	p, ok := w.packets[i]
	switch {
	case !ok:
		return fmt.Errorf("no envelope %d", i)
	case do == "drop":
		delete(w.packets, i)
	case do == "corrupt":
		p.bytes[len(p.bytes)/2] ^= 0xff
	case p.to.Node == nil:
		return fmt.Errorf("%s is down", p.to.name)
	default:
		return p.to.Deliver(w.now-p.to.start, p.from.config.Self, p.bytes)
	}
	return nil
}

// tell executes a line that concerns one node.
func (w *world) tell(m *member, f []string) error {
	now := w.now - m.start
	if m.Node == nil && f[0] != "restore" && f[0] != "anew" && f[0] != "disconnect" {
		return fmt.Errorf("%s is down", m.name)
	}
	switch f[0] {
	case "connect":
		o := w.nodes[f[2]]
		h, oh := m.Hello(), o.Hello()
		if err := m.Connected(now, o.config.Self, &oh); err != nil {
			return err
		}
		return o.Connected(w.now-o.start, m.config.Self, &h)
	case "disconnect":
		o := w.nodes[f[2]]
		if o.Node != nil {
			o.Disconnected(w.now-o.start, m.config.Self, fmt.Errorf("closed"))
		}
		if m.Node != nil {
			m.Disconnected(now, o.config.Self, fmt.Errorf("closed"))
		}
	case "invoke":
		input := vector(f[3])
		if m.class == "stepper" { // the number of the step
			input = tensor.Of([]int64{int64(tensor.Data[float64](input)[0])})
		}
		x, err := m.Invoke(now, f[2], input)
		if err == nil {
			w.printf("execution %v\n", x)
		}
		return err
	case "poll":
		for {
			o, ok := m.Poll(now)
			if !ok {
				break
			}
			w.print(m, o)
		}
		if at, ok := m.WakeAt(); ok {
			w.printf("wake in %v\n", time.Duration(at-now))
		}
	case "complete":
		if len(m.commands) == 0 {
			return fmt.Errorf("%s runs no command", m.name)
		}
		o := m.commands[0]
		m.commands = m.commands[1:]
		err := o.Task.Do()
		if len(f) > 2 {
			err = fmt.Errorf("%s", strings.Join(f[2:], " "))
		}
		return m.Complete(now, o.Command, err)
	case "snapshot":
		b, err := m.Snapshot(nil)
		m.saved = b
		return err
	case "persisted":
		m.safe = m.saved
		m.Persisted(now)
	case "stop":
		m.Stop(now)
	case "alive":
		m.Alive(now, w.nodes[f[2]].config.Self)
	case "crash":
		m.Node, m.commands = nil, nil
	case "restore", "anew":
		p, _, err := partition(m.program)
		if err != nil {
			return err
		}
		m.start, m.config.Incarnation = w.now, m.config.Incarnation+1
		if f[0] == "anew" {
			m.Node, err = runtime.New(m.config, p)
		} else {
			m.Node, err = runtime.Restore(m.config, p, m.safe)
		}
		return err
	case "waits":
		m.Waits(func(x *runtime.Wait) bool {
			w.printf("%s\n", x.Text(now, wire.PeerID.String))
			return true
		})
	case "stats":
		w.printf("%+v\n", m.Stats())
	default:
		return fmt.Errorf("no command %s", f[0])
	}
	return nil
}

func vector(text string) *tensor.Tensor {
	var x []float64
	for s := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			v = math.NaN()
		}
		x = append(x, v)
	}
	return tensor.Of(x, len(x))
}

func (w *world) print(m *member, o runtime.Output) {
	switch o.Kind {
	case runtime.Send:
		w.sent++
		to := w.member(o.Peer)
		w.packets[w.sent] = packet{m, to, wire.AppendEnvelope(nil, o.Envelope)}
		w.printf("send %d to %s: seq %d ack %d", w.sent, to.name, o.Envelope.Seq, o.Envelope.Ack)
		if r := o.Envelope.Released; r > 0 {
			w.printf(" leaves %d to its next incarnation", r)
		}
		for _, f := range o.Envelope.Fills {
			if f.Lost != "" {
				w.printf(", a loss of %v (%s)", o.Envelope.Exec, f.Lost)
				continue
			}
			w.printf(", %d bytes of %v", len(f.Payload), o.Envelope.Exec)
		}
		w.printf("\n")
	case runtime.Dial, runtime.Hangup:
		w.printf("%v %v\n", o.Kind, o.Peer)
	case runtime.Run:
		m.commands = append(m.commands, o)
		w.printf("run command %d\n", o.Command>>32)
	case runtime.Tell:
		w.printf("%s\n", describe(*o.Event))
	default:
		w.printf("%v\n", o.Kind)
	}
}

// describe returns the fields of an event as text.
func describe(e runtime.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", e.Kind)
	if e.Module != "" {
		fmt.Fprintf(&b, " %s", e.Module)
	}
	if e.Name != "" {
		fmt.Fprintf(&b, " %s", e.Name)
	}
	if !e.Exec.IsZero() {
		fmt.Fprintf(&b, " of %v", e.Exec)
	}
	if !e.Peer.IsZero() {
		fmt.Fprintf(&b, " peer %v", e.Peer)
	}
	if e.Since != 0 {
		fmt.Fprintf(&b, " since %v", time.Duration(e.Since))
	}
	if e.Value != nil {
		fmt.Fprintf(&b, ": %v", e.Value.(*tensor.Tensor).Data)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}
