package walk

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/peers"
	"github.com/bbgen/bbgen/runtime/component/sampling"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Trainer trains the model at a peer.
type Trainer interface {
	// Train returns the model after some steps on the data of the peer. The model is empty at the beginning of a
	// walk.
	Train(model []float64) ([]float64, error)
}

// Walk implements the role Protocol of a peer of a random walk. The peer of rank 0 begins the walk. In each period
// the holder of the token passes it on; so a peer should train in less than a period.
type Walk struct {
	Patience int // periods until a token that was passed on, and did not arrive, counts as lost; 0: 10
	Silence  int // periods without a token until a peer issues another one; 0: never

	Cyclic bool // the token goes from each peer to the next one by rank, over and over, instead of to a random one

	Others  *sampling.Shuffle // the protocol that knows other peers, set with Needs
	Trainer Trainer           // set with Needs

	rank    int
	nonce   uint64
	begun   bool        // the first period is over
	latest  stamp       // of all tokens heard of
	seen    stamp       // of the tokens that were here
	held    *token      // nil: it is elsewhere
	passed  *token      // the copy of a passed token that may be lost; nil: none
	to      wire.PeerID // the peer that it was passed to
	arrived bool        // the passed token has arrived
	waited  int         // periods since it was passed, or has arrived
	silent  int         // periods without a token
	model   []float64
}

// Open checks the configuration.
func (w *Walk) Open(env runtime.Env) error {
	if w.Patience < 0 || w.Silence < 0 {
		return fmt.Errorf("walk.Walk: Patience is %d and Silence %d, want 0 or more", w.Patience, w.Silence)
	}
	secret, err := env.Secret()
	if err != nil {
		return fmt.Errorf("walk.Walk: %w", err)
	}
	w.rank, w.nonce = env.Rank, binary.LittleEndian.Uint64(secret[:])
	return nil
}

// Model returns the model as this peer has trained it last; it is empty before.
func (w *Walk) Model() (tensor.Dense[float64], error) {
	return tensor.DenseOf(slices.Clone(w.model), len(w.model)), nil
}

// State returns whether the peer holds a token, 1 or 0, the latest generation that it has heard of, and how often the
// token of that generation was trained, as far as the peer has heard.
func (w *Walk) State() (tensor.Dense[int64], error) {
	held := int64(0)
	if w.held != nil {
		held = 1
	}
	return tensor.DenseOf([]int64{held, int64(w.latest.generation), int64(w.latest.steps)}, 3), nil
}

// Tick passes the token on, if it is here, to a peer that responds: a random one, or the next.
func (w *Walk) Tick(n runtime.Peer) ([]wire.PeerID, tensor.Dense[uint8], error) {
	if err := w.countPeriod(); err != nil || w.held == nil {
		return nil, nothing, err
	}
	to, err := w.next(n)
	if err != nil || len(to) == 0 {
		return nil, nothing, err
	}
	return to, message(w.pass(to[0])), nil
}

// next returns the peer that gets the token, or none. A peer that does not respond is skipped.
func (w *Walk) next(n runtime.Peer) ([]wire.PeerID, error) {
	if !w.Cyclic {
		view := sampling.View{Shuffle: w.Others}
		list, err := view.CurrentView(n)
		return peers.Draw(n.Rand(), n.Healthy(nil, list), 1), err
	}
	view := peers.View{Class: w.Others.Class}
	list, err := view.CurrentView(n) // by rank
	list = n.Healthy(nil, list)
	after := slices.IndexFunc(list, func(p wire.PeerID) bool {
		_, rank, _ := n.ClassOf(p)
		return rank > w.rank
	})
	first := max(after, 0)
	return list[first:min(first+1, len(list))], err
}

// countPeriod counts a period. It begins the walk, or replaces a token that counts as lost.
func (w *Walk) countPeriod() error {
	first := !w.begun
	w.begun = true
	w.silent++
	w.waited++
	switch {
	case w.held != nil:
		w.silent = 0
	case w.passed != nil:
		if w.waited > w.patience() {
			w.issue(w.passed)
		}
	case first && w.rank == 0 || w.Silence > 0 && w.silent > w.Silence+w.rank: // not all at once
		model, steps := w.model, w.latest.steps
		if len(model) == 0 {
			var err error
			if model, err = w.train(nil); err != nil {
				w.begun = !first
				return err
			}
			steps++
		}
		w.issue(&token{stamp: stamp{steps: steps}, model: model})
	}
	return nil
}

// patience returns how many periods a passed token may take. When it has arrived, it may take as long again to
// arrive at one more peer, whose sender may have to replace it.
func (w *Walk) patience() int {
	p := cmp.Or(w.Patience, 10)
	if w.arrived {
		p *= 2
	}
	return p
}

// issue makes a token of a new generation, which is here, from an earlier one.
func (w *Walk) issue(t *token) {
	w.observe(stamp{w.latest.generation + 1, w.nonce, t.steps})
	w.held, w.model = &token{w.seen, t.from, t.model}, t.model
}

// train trains a model.
func (w *Walk) train(model []float64) ([]float64, error) {
	model, err := w.Trainer.Train(slices.Clone(model))
	if err == nil {
		err = check(model)
	}
	return slices.Clone(model), err
}

// pass gives the token to a peer, and keeps a copy.
func (w *Walk) pass(to wire.PeerID) *token {
	w.passed, w.held, w.to, w.arrived, w.waited, w.silent = w.held, nil, to, false, 0, 0
	return w.passed
}

// Receive takes a token, and trains its model. It tells the sender, and the peer before that, that it has the token,
// or that a later one was here: then it discards this one. If it cannot train, the sender will replace the token.
func (w *Walk) Receive(n runtime.Peer, from wire.PeerID, m tensor.Dense[uint8]) ([]wire.PeerID, tensor.Dense[uint8], error) {
	f := values.NewFields(m.Data)
	t, err := readToken(f)
	if err == nil {
		err = f.End()
	}
	if err == nil && t == nil {
		err = errStamp
	}
	if err == nil {
		err = t.check(w.latest)
	}
	if err != nil {
		return nil, nothing, err
	}
	to, err := w.take(n.Self(), from, t)
	return to, note(w.seen), err
}

// take takes a token from a peer to this one. It returns the peers that are told of the latest one that was here.
func (w *Walk) take(self, from wire.PeerID, t *token) (to []wire.PeerID, err error) {
	to = append(to, from)
	if !t.from.IsZero() && t.from != self {
		to = append(to, t.from)
	}
	if w.seen.after(t.stamp) {
		return to, nil
	}
	model, err := w.train(t.model)
	if err != nil {
		return nil, err
	}
	w.observe(stamp{t.generation, t.nonce, t.steps + 1})
	w.held, w.model = &token{w.seen, from, model}, model
	return to, nil
}

// Answered hears what a peer tells of the latest token that was there.
func (w *Walk) Answered(from wire.PeerID, m tensor.Dense[uint8]) error {
	f := values.NewFields(m.Data)
	s := readStamp(f)
	err := cmp.Or(f.End(), s.check(w.latest))
	if err == nil {
		w.hear(from, s)
	}
	return err
}

// hear records what a peer tells of a token. It may be wrong, so it ends no token here: only a later token does. When the
// peer that a token was passed to has discarded it, it is here again, until it finds a peer that takes it, or the later one comes.
func (w *Walk) hear(from wire.PeerID, s stamp) {
	if s.after(w.latest) {
		w.latest, w.silent = s, 0
	}
	p := w.passed
	if p == nil || !s.after(p.stamp) {
		return
	}
	switch same := s.generation == p.generation && s.nonce == p.nonce; {
	case same && s.steps == p.steps+1:
		w.arrived, w.waited = true, 0
	case same && from != w.to: // it was passed on
		w.passed = nil
	case from == w.to && !w.arrived:
		w.held, w.passed = p, nil
	default: // the receiver looks for another peer
		w.waited = 0
	}
}

// observe records that a token is here. It forgets those that this one replaces.
func (w *Walk) observe(s stamp) {
	if s.after(w.latest) {
		w.latest = s
	}
	if s.after(w.seen) {
		w.seen, w.silent, w.held, w.passed = s, 0, nil, nil
	}
}

// nothing is the message to nobody.
var nothing = tensor.DenseOf([]byte(nil), 0)

// message returns the message for a token.
func message(t *token) tensor.Dense[uint8] {
	b := appendToken(nil, t)
	return tensor.DenseOf(b, len(b))
}

// note returns the answer that names the latest token.
func note(s stamp) tensor.Dense[uint8] {
	b := appendStamp(nil, s)
	return tensor.DenseOf(b, len(b))
}
