package mem

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Config configures the network. Probabilities are per envelope.
type Config struct {
	Seed      uint64
	Delay     int64   // the minimum ns that an envelope takes
	Jitter    int64   // the maximum additional ns; later envelopes may overtake
	Loss      float64 // probability that it is lost
	Duplicate float64 // probability that it is duplicated
	Corrupt   float64 // probability that it breaks the channel
	Skew      int64   // maximum drift of clocks, in millionths
	Command   int64   // the minimum ns that a command takes; the maximum is twice that
	ByteTime  int64   // ns that each byte of a bulk payload takes
	Persist   int64   // ns until a snapshot is durable
	Heal      int64   // the time from which on no envelope is lost, duplicated or corrupted; 0: never
	Faults    []Fault

	// Places makes peers dial only those whose addresses they know, from their configuration or because a peer has told
	// them its own. A peer dials those of its configuration as long as they do not know its address.
	Places bool

	// Spool is the size in bytes from which on values are on the virtual disk; 0: none. SpoolFiles is the
	// maximum number of such values.
	Spool, SpoolFiles int

	// Verify makes each snapshot from which a peer continues be written again and compared. It needs another
	// partition, which is made before the one that runs.
	Verify bool
}

// A Network simulates a set of peers. It is not safe for concurrent use.
type Network struct {
	config Config
	rand   *rand.Rand
	now    int64
	queue  container.Heap[func()] // planned calls
	hosts  []*host
	book   *runtime.AddressBook // of all hosts; nil if it is not shared
	byID   map[wire.PeerID]*host
	links  map[[2]int]*link
	cuts   map[[2]int]int // the number of present Cut faults, from one peer to the other
	hash   hash
	err    error

	// Booting, if not nil, is called when a peer has started that waits for the host to invoke
	// [runtime.Node.Unbooted].
	Booting func(i int, n *runtime.Node)

	// Started, if not nil, is called when a peer begins to run without a snapshot: the time to invoke modules.
	Started func(i int, n *runtime.Node)

	// Told, if not nil, is called with each event of a peer.
	Told func(i int, e runtime.Event)

	// Sent, if not nil, is called with each envelope before it is passed to the network, and Delivered with
	// each envelope that a peer accepts. A channel gets another number each time that it opens.
	Sent, Delivered func(from, to int, channel uint64, e *wire.Envelope)

	// Opened, if not nil, is called when a channel opens that the first peer has dialed.
	Opened func(from, to int)

	// Saved, if not nil, is called when a snapshot of a peer is durable.
	Saved func(i int)

	// Ran, if not nil, is called when a command begins and when it has ended.
	Ran func(i int, t runtime.Task, ended bool)

	// Forge, if not nil, may replace an envelope that a peer sends: it returns false if the envelope is to be
	// sent unchanged.
	Forge func(from, to int, e *wire.Envelope) bool

	// Torn, if not nil, is called when a peer starts from an older state than was reported as durable, as its
	// disk has lied.
	Torn func(i int)

	// Unwritten, if not nil, is called when a peer crashes with values that are not on its disk yet.
	Unwritten func(i int)

	// Struck, if not nil, is called each time that a fault has an effect.
	Struck func(k FaultKind)

	// Steps counts blocks that have run, on all peers.
	Steps int
}

// New returns an empty network.
func New(c Config) *Network {
	w := &Network{
		config: c, rand: rand.New(rand.NewPCG(c.Seed, 0)), byID: map[wire.PeerID]*host{},
		links: map[[2]int]*link{}, cuts: map[[2]int]int{}, hash: hashStart,
	}
	for _, f := range c.Faults {
		w.Strike(f)
	}
	return w
}

// Add adds a peer, which starts when the network runs. The configuration needs no peer id and no identity: [PeerID] and
// [Identity] give them. A peer knows the peers that the configuration names, or all others if it names none. Partition makes
// the peer's partition, anew at each start.
func (w *Network) Add(c runtime.Config, partition func() *runtime.Partition) {
	h := &host{w: w, index: len(w.hosts), config: c, partition: partition}
	if w.config.Skew > 0 {
		h.skew = w.rand.Int64N(2*w.config.Skew+1) - w.config.Skew
	}
	h.config.Self, h.config.Identity = PeerID(h.index), Identity(h.index)
	if h.config.Resend == 0 {
		h.config.Resend = 10 * (w.config.Delay + w.config.Jitter + 1)
	}
	h.fresh = partition()
	h.class = h.fresh.Class
	w.hosts, w.book = append(w.hosts, h), nil
	w.byID[h.config.Self] = h
}

// PeerID returns the id of peer i.
func PeerID(i int) wire.PeerID {
	var key [32]byte
	binary.BigEndian.PutUint64(key[:], uint64(i)+1)
	id, err := wire.PeerIDOf(key[:])
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return id
}

// Node returns peer i, or nil while it is down.
func (w *Network) Node(i int) *runtime.Node { return w.hosts[i].node }

// Now returns the virtual time.
func (w *Network) Now() int64 { return w.now }

// Run runs the peers until done returns true or the time is over, and reports whether done has returned true.
// Virtual time skips idle periods.
func (w *Network) Run(until int64, done func() bool) (bool, error) {
	if w.book == nil {
		w.enter()
	}
	for _, h := range w.hosts {
		if !h.begun && !h.absent {
			h.introduce()
			h.start()
		}
	}
	for w.err == nil {
		if done() {
			return true, nil
		}
		if at, _, planned := w.queue.First(); !planned || at > until {
			break
		}
		at, do := w.queue.Pop()
		w.now = at
		do()
	}
	w.now = max(w.now, until)
	for _, h := range w.hosts {
		if h.node != nil {
			h.node.Tick(h.clock())
		}
	}
	return w.err == nil && done(), w.err
}

// enter fills the address book of all hosts, which is shared by those that know all others.
func (w *Network) enter() {
	var list []runtime.PeerConfig
	for _, h := range w.hosts {
		if !h.absent {
			list = append(list, runtime.PeerConfig{ID: h.config.Self, Class: h.class, Rank: h.config.Rank})
		}
	}
	book, err := runtime.NewAddressBook(list)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	w.book = book
}

// Hash returns a hash of all steps: which block of which peer ran when, and which messages and events there
// were.
func (w *Network) Hash() uint64 { return uint64(w.hash) }

// chance draws whether an event of a probability occurs.
func (w *Network) chance(p float64) bool {
	healed := w.config.Heal > 0 && w.now >= w.config.Heal
	return !healed && p > 0 && w.rand.Float64() < p
}

// upTo draws from [0, n].
func (w *Network) upTo(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return w.rand.Int64N(n + 1)
}

// delay draws the transit time of a message.
func (w *Network) delay() int64 { return w.config.Delay + w.upTo(w.config.Jitter) }

// After calls do after some time.
func (w *Network) After(d int64, do func()) { w.queue.Add(w.now+d, do) }

// Strike plans one more fault, now at the earliest.
func (w *Network) Strike(f Fault) { w.queue.Add(max(f.At, w.now), func() { w.strike(f) }) }

// strike begins a fault, and plans its end.
func (w *Network) strike(f Fault) {
	h, o := w.hosts[f.Node%len(w.hosts)], w.hosts[f.Other%len(w.hosts)]
	switch f.Kind {
	case Crash:
		if h.node == nil {
			return
		}
		w.struck(f.Kind)
		h.crash()
		w.queue.Add(w.now+f.For, h.start)
	case Cut:
		w.struck(f.Kind)
		k := [2]int{h.index, o.index}
		w.cuts[k]++
		w.queue.Add(w.now+f.For, func() { w.cuts[k]-- })
	case Break:
		w.struck(f.Kind)
		w.link(h, o).breakUp()
	case CrashBlock, CrashSaved:
		h.doom(f)
	case Hang:
		w.struck(f.Kind)
		h.hung = max(h.hung, w.now+f.For)
	case DiskFull:
		h.disk.fullTil = max(h.disk.fullTil, w.now+f.For)
	case DiskLies:
		h.disk.liesTil = max(h.disk.liesTil, w.now+f.For)
	case SyncFails:
		h.disk.failsTil = max(h.disk.failsTil, w.now+f.For)
	case Stop:
		h.stop(f.For)
	case Restart:
		h.restart(f.For)
	case Leave:
		if h.node != nil {
			w.struck(f.Kind)
			h.crash()
		}
	}
}

// struck reports that a fault has an effect.
func (w *Network) struck(k FaultKind) {
	if w.Struck != nil {
		w.Struck(k)
	}
}

func (w *Network) fail(h *host, err error) {
	if w.err == nil {
		w.err = fmt.Errorf("node %d (%s) at %d ns: %w", h.index, h.class, w.now, err)
	}
}
