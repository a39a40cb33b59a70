package runtime

import (
	"errors"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/wire"
)

// folder is a component that gathers, and whose methods are commands. It records its calls and contributions.
type folder struct {
	in      Round
	left    []Round
	taken   []byte
	refuses byte
}

func (c *folder) Enter(r Round)                         { c.in = r }
func (c *folder) Leave(r Round)                         { c.left = append(c.left, r) }
func (c *folder) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (c *folder) UnmarshalBinary([]byte) error          { return nil }

// foldBody is a round of module fold: it asks, and commands take the answers.
type foldBody struct {
	testBody
	c []*folder // of each command
}

func (f *foldBody) Task(command int) Task {
	f.Contributed(command, 0)
	return &foldTask{f, command, f.c[command-1]}
}

// foldTask is a command that takes the contributions so far.
type foldTask struct {
	f       *foldBody
	command int
	c       *folder
}

func (t *foldTask) Do() error {
	t.f.Fold(t.command, 0, func(b Body) error {
		x := b.(*contribution).x
		if x == t.c.refuses {
			return errors.New("not this one")
		}
		t.c.taken = append(t.c.taken, x)
		return nil
	})
	return nil
}

// contribution is a number that a peer sends.
type contribution struct {
	testBody
	x byte
}

func (f *contribution) Run(*Engine, int) error { return nil }
func (f *contribution) Fill(cut int, fill *wire.SlotFill) error {
	if cut == 0 {
		f.x = fill.Payload[0]
	}
	return nil
}

// foldRig is a node with peers 2, 3 and 4. It asks all of them and needs min answers. A component takes their
// contributions, and so do others.
type foldRig struct {
	*rig
	c    folder
	runs []Output // commands that have not run yet
	seqs map[byte]uint64
}

func newFoldRig(t *testing.T, min int, others ...*folder) *foldRig {
	r := &foldRig{rig: &rig{t: t}, seqs: map[byte]uint64{}}
	components := append([]*folder{&r.c}, others...)
	m := Module{Name: "fold", Cuts: []Cut{{Kind: GatherCut, Name: "update"}, {Kind: CommandCut, Name: "mean"}},
		Blocks: []Block{{Name: "ask", Starts: 1}, {Name: "fold", Wait: 1, Starts: 2}, {Name: "end", Wait: 2}},
		New: func() Body {
			return &foldBody{c: components, testBody: testBody{blocks: []blockFunc{
				func(f *testBody, e *Engine) error { e.Expect(&f.Frame, 0, e.Peers(nil, "b"), min, 3, 1e9); return nil },
				func(f *testBody, e *Engine) error {
					for i := range components {
						e.Start(&f.Frame, 1+i)
					}
					return nil
				}, nothing}}}
		}}
	p := &Partition{Fingerprint: []byte{1}, Slots: []string{"s"}, Components: []Component{&r.c}, Commanded: []int{0},
		Edges: []Edge{{ID: 1, Type: 1, Name: "b.update", From: "b", Receives: true, Module: 1}, {ID: 2, Type: 1, Name: "b.weight", From: "b", Receives: true, Module: 1, Cut: 1}}}
	for i, c := range others {
		m.Cuts = append(m.Cuts, Cut{Kind: CommandCut, Name: "another", Slot: 1 + i})
		m.Blocks[1].Starts |= 4 << i
		m.Blocks[2].Wait |= 4 << i
		p.Slots, p.Components, p.Commanded = append(p.Slots, "another"), append(p.Components, c), append(p.Commanded, 1+i)
	}
	each := Module{Name: "fold.update", Child: true, Cuts: []Cut{{Kind: FillCut}, {Kind: FillCut}}, Blocks: []Block{{Wait: 3}}, New: func() Body { return &contribution{} }}
	p.Modules = []Module{m, each}
	c := Config{}
	for i := byte(2); i <= 4; i++ {
		c.Peers = append(c.Peers, PeerConfig{ID: testPeer(i), Class: "b", Rank: int(i)})
	}
	r.n = testNode(t, c, p)
	r.poll(0)
	for _, pc := range c.Peers {
		if err := r.n.Connected(0, pc.ID, &wire.Hello{Protocol: wire.Protocol, Fingerprint: []byte{1}, Classes: []string{"b"}, Incarnation: 1}); err != nil {
			t.Fatal(err)
		}
	}
	r.poll(0)
	return r
}

func (r *foldRig) poll(now int64) {
	for {
		o, ok := r.n.Poll(now)
		if !ok {
			return
		}
		switch o.Kind {
		case Run:
			r.runs = append(r.runs, o)
		case Tell:
			r.events = append(r.events, *o.Event)
		}
	}
}

// begin begins a round, to which some peers contribute their numbers.
func (r *foldRig) begin(from ...byte) wire.ExecID {
	r.t.Helper()
	x, err := r.n.Invoke(r.n.Now(), "fold")
	if err != nil {
		r.t.Fatal(err)
	}
	r.poll(r.n.Now())
	for _, i := range from {
		r.send(i, x, 1, 2)
	}
	return x
}

// send makes a peer send its number over some edges.
func (r *foldRig) send(from byte, x wire.ExecID, edges ...wire.EdgeID) {
	r.t.Helper()
	r.seqs[from]++
	e := wire.Envelope{Seq: r.seqs[from], Exec: x}
	for _, id := range edges {
		e.Fills = append(e.Fills, wire.SlotFill{Suffix: wire.AppendSite(nil, id), Type: 1, Payload: []byte{from}})
	}
	if err := r.n.Deliver(r.n.Now(), testPeer(from), wire.AppendEnvelope(nil, &e)); err != nil {
		r.t.Fatal(err)
	}
	r.poll(r.n.Now())
}

// work runs the first command that waits.
func (r *foldRig) work() {
	r.t.Helper()
	o := r.runs[0]
	r.runs = r.runs[1:]
	if err := r.n.Complete(r.n.Now(), o.Command, o.Task.Do()); err != nil {
		r.t.Fatal(err)
	}
	r.poll(r.n.Now())
}

// A command takes contributions in the order of ranks, and not while the Node polls. A refused contribution is
// left out by name.
func TestFold(t *testing.T) {
	r := newFoldRig(t, 2)
	r.c.refuses = 3
	x := r.begin(4, 2, 3)
	if len(r.runs) != 1 || len(r.c.taken) > 0 || r.c.in.Exec != x {
		t.Fatalf("%d commands run, %v was taken, for %v", len(r.runs), r.c.taken, r.c.in)
	}
	r.work()
	if !slices.Equal(r.c.taken, []byte{2, 4}) {
		t.Errorf("%v is taken, want 2 and 4", r.c.taken)
	}
	r.told(Refused, "update", r.refusedBy(3), r.n.Stats().Refused)
	if s := r.n.Stats(); s.Live != 0 || s.Failures != 0 || len(r.c.left) != 1 {
		t.Errorf("%+v, %d rounds are over", s, len(r.c.left))
	}
}

// refusedBy returns why the contribution of a peer was refused.
func (r *foldRig) refusedBy(i byte) error {
	for _, e := range r.events {
		if e.Kind == Refused && e.Peer == testPeer(i) {
			return e.Err
		}
	}
	r.t.Fatalf("peer %d is not left out: %+v", i, r.events)
	return nil
}

// Two commands take the contributions to one gather at the same time. A contribution that both refuse is left
// out once.
func TestFoldTwice(t *testing.T) {
	other := &folder{refuses: 3}
	r := newFoldRig(t, 2, other)
	r.c.refuses = 3
	r.begin(2, 3, 4)
	errs := make(chan error, len(r.runs))
	for _, o := range r.runs {
		go func() { errs <- o.Task.Do() }()
	}
	for _, o := range r.runs {
		if err := r.n.Complete(0, o.Command, <-errs); err != nil {
			t.Fatal(err)
		}
	}
	r.poll(0)
	if !slices.Equal(r.c.taken, []byte{2, 4}) || !slices.Equal(other.taken, []byte{2, 4}) {
		t.Errorf("%v and %v are taken, want 2 and 4 twice", r.c.taken, other.taken)
	}
	if s := r.n.Stats(); s.Refused != 1 || s.Failures != 0 || s.Live != 0 {
		t.Errorf("%+v, want one refused contribution, and an end", s)
	}
}

// A command that refuses too many contributions fails for lack of a quorum.
func TestFoldBelowQuorum(t *testing.T) {
	r := newFoldRig(t, 3)
	r.c.refuses = 3
	r.begin(2, 3, 4)
	r.work()
	r.told(Failed, "end", ErrQuorum, r.n.Stats().Failures)
}

// A component is not told of the end of a round while one of its commands runs, which may be in the middle of
// another round.
func TestLeaveWaitsForCommand(t *testing.T) {
	r := newFoldRig(t, 2)
	r.begin(2, 3, 4)
	second := r.begin(2)
	r.poll(2e9) // the second one has no quorum
	r.told(Failed, "fold", ErrQuorum, r.n.Stats().Failures)
	if len(r.c.left) > 0 {
		t.Fatalf("it hears that %v are over", r.c.left)
	}
	r.work()
	if len(r.c.left) != 2 || r.c.left[0].Exec != second {
		t.Errorf("it hears that %v are over, want both", r.c.left)
	}
}

// A peer with incomplete contributions is in no sum, and neither are contributions that come while those of the
// others are taken.
func TestFoldIsClosed(t *testing.T) {
	r := newFoldRig(t, 2)
	x := r.begin(2, 3)
	r.send(4, x, 1)
	r.poll(2e9)
	if len(r.runs) != 1 {
		t.Fatalf("%d commands run", len(r.runs))
	}
	r.send(4, x, 2)
	r.work()
	if !slices.Equal(r.c.taken, []byte{2, 3}) {
		t.Errorf("%v is taken, want 2 and 3", r.c.taken)
	}
}
