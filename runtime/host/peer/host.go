package peer

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/otlp"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/conversation"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/upgrade"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// host drives a node. Only the goroutine that runs its loop uses its fields, except where noted.
type host struct {
	connection.Shared
	cancel    context.CancelFunc
	grace     time.Duration // for executions to end when the host is told to stop
	program   Program
	options   *Options
	config    runtime.Config
	key       ed25519.PrivateKey
	proofs    map[wire.PeerID][]byte // proofs of invitations, by issuer
	strangers []wire.Address         // addresses of peers to be trusted on first contact
	looks     bool                   // it runs no program, see [newObserver]
	transport Transport
	members   *trust.Members
	disk      disk.FS
	machine   machine.Machine
	budget    budget
	threads   int        // that compute
	parallel  int        // parallel streams, of all connections
	state     *state.Dir // nil: no state is kept
	spool     *spool.Spool
	events    *output.Events
	out       *output.Files
	pages     *http.Server    // nil: none
	pageToken string          // that they require; "": none
	traces    *otlp.Exporter  // nil: none
	history   *status.History // for the page; nil: no pages
	measured  time.Time       // when its bytes were counted last
	stated    int64           // when its status was written last
	storm     *storm          // nil: none
	upgrader  upgrade.Upgrader
	feed      *feed.Feed // nil: none
	ungiven   []string   // inputs that nobody can give: the host is a command line, and has no files for them
	calls     follow.Calls
	part      *runtime.Partition // nil: it is not made yet
	stores    []runtime.Store
	receives  []string // the classes whose peers send to this one
	progress  progress
	told      status.Numbers // the last numbers that the program has given to its host
	log       *slog.Logger

	node      *runtime.Node
	links     map[wire.PeerID]*link
	admitted  sync.Map // the keys of links, for other goroutines
	undecided *conversation.Undecided
	logLimits logLimits
	clock     clock
	collected uint64              // the part of the node's dropped bytes that was collected
	stalled   []*connection.Batch // batches for which the node had no room
	task      task
	hello     wire.Hello

	running  bool          // from the node's phase
	started  bool          // Program.Start was called, or is not needed
	ready    chan struct{} // closed when the program runs and has started; then nil
	stopping bool
	leaving  bool   // the next snapshot is the last
	unsaved  string // why the latest snapshot could not be written; "": it was
	retries  int    // consecutive attempts to write one
	done     bool
	err      error
	round    uint64 // the number of its own execution that ended last
	latest   uint64 // of all executions that ended here
}

// fail ends the host with an error.
func (h *host) fail(err error) {
	if h.err == nil {
		h.err = err
	}
	h.done = true
}

// name returns the name of the peer within its program.
func (h *host) name() string { return fmt.Sprintf("%s-%d", h.program.Class, h.config.Rank) }

// nameOf returns the name of any peer: that within the program, or the id of one that has none.
func (h *host) nameOf(id wire.PeerID) string {
	if l := h.links[id]; l != nil {
		return fmt.Sprintf("%s-%d", l.Class, l.Rank)
	}
	if id == h.config.Self {
		return h.name()
	}
	return id.String()
}
