package secagg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/wire"
)

// step is the last request of a round that was answered.
type step int64

const (
	askedKeys step = iota + 1
	askedShares
	askedMask
	askedAgree
	askedReveal
)

func (s step) String() string {
	return [...]string{"", "Keys", "Shares", "Mask", "Agree", "Reveal"}[s]
}

// session is one round of a peer. Received messages are kept unchanged.
type session struct {
	of                       runtime.Round
	number                   uint64
	answered                 step
	roster, inbox, survivors []byte

	secrets *secrets // derived from the number
}

// store is the rounds of a peer, and its secret.
type store struct {
	key    [sha256.Size]byte
	number uint64 // of rounds so far
	in     runtime.Round
	open   []*session
	last   []wire.ExecID // the last execution of each server
}

// Enter sets the execution to which the following calls belong.
func (s *store) Enter(r runtime.Round) { s.in = r }

// Leave forgets an execution.
func (s *store) Leave(r runtime.Round) {
	s.open = slices.DeleteFunc(s.open, func(x *session) bool { return x.of == r })
}

// begin begins a new round, with secrets of its own. It refuses an execution that is not after the last one of
// its server, as its keys may be known.
func (s *store) begin() (*session, error) {
	exec := s.in.Exec
	i := slices.IndexFunc(s.last, func(e wire.ExecID) bool { return e.Origin == exec.Origin })
	switch {
	case i < 0:
		s.last = append(s.last, exec)
	case exec.Incarnation < s.last[i].Incarnation || exec.Incarnation == s.last[i].Incarnation && exec.Number <= s.last[i].Number:
		return nil, fmt.Errorf("execution %d comes after %d: keys for it may be known", exec.Number, s.last[i].Number)
	default:
		s.last[i] = exec
	}
	x := &session{of: s.in, number: s.number, answered: askedKeys}
	if err := s.unlock(x); err != nil {
		return nil, err
	}
	s.number++
	s.open = append(s.open, x)
	return x, nil
}

// unlock derives the secrets of a round.
func (s *store) unlock(x *session) (err error) {
	x.secrets, err = secretsOf(sha256.Sum256(runtime.AppendScalar(s.key[:], x.number)))
	return err
}

var errNoRound = errors.New("there is no such round: it has ended, or this peer has begun anew since")

// next returns the round of a call, whose last answered request must be after. A request is answered once,
// whether or not that succeeds: two answers together could reveal more than a peer wants.
func (s *store) next(after step) (*session, error) {
	i := slices.IndexFunc(s.open, func(x *session) bool { return x.of == s.in })
	switch {
	case i < 0:
		return nil, errNoRound
	case s.open[i].answered != after:
		return nil, fmt.Errorf("%v is requested after %v", after+1, s.open[i].answered)
	}
	s.open[i].answered++
	return s.open[i], nil
}

// random returns the random source for shares.
func (s *secrets) random() io.Reader { return rand.NewChaCha8(s.shares) }

// agreement returns the text that a peer signs: everything that it has received.
func (s *session) agreement() []byte {
	return separated(s.of, "agreement", s.roster, s.inbox, s.survivors)
}

// open decrypts the shares that a neighbor has given: of its masks with others, and of its own.
func (s *session) open(roster []message, self, from wire.PeerID, body []byte) ([]byte, error) {
	given, err := readMessages(body)
	if err != nil {
		return nil, err
	}
	at := find(given, self)
	if at < 0 {
		return nil, errors.New("none is for this peer")
	}
	o, err := readPublicKeys(roster[find(roster, from)].body)
	if err != nil {
		return nil, err
	}
	seal, err := s.secrets.sealer(o.messages, from, self)
	if err != nil {
		return nil, err
	}
	shares, err := seal.Open(nil, make([]byte, seal.NonceSize()), given[at].body, separated(s.of, "shares", s.roster))
	if err == nil && len(shares) != 2*secretSize {
		err = fmt.Errorf("they have %d bytes, want %d", len(shares), 2*secretSize)
	}
	return shares, err
}

// AppendBinary appends the secret, and the present rounds.
func (s *store) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(append(b, s.key[:]...), s.number)
	b = runtime.AppendScalar(b, int64(len(s.last)))
	for _, e := range s.last {
		b, _ = runtime.Round{Exec: e}.AppendBinary(b)
	}
	b = runtime.AppendScalar(b, int64(len(s.open)))
	for _, x := range s.open {
		b, _ = x.of.AppendBinary(b)
		b = runtime.AppendScalar(runtime.AppendScalar(b, x.number), int64(x.answered))
		for _, part := range [][]byte{x.roster, x.inbox, x.survivors} {
			b = append(runtime.AppendScalar(b, int64(len(part))), part...)
		}
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *store) UnmarshalBinary(b []byte) error {
	var n, rounds int64
	var read store
	f := runtime.NewFields(slices.Clone(b)) // parts of it are kept
	copy(read.key[:], f.Bytes(len(read.key)))
	runtime.ReadScalar(f, &read.number)
	runtime.ReadScalar(f, &n)
	for range min(n, int64(len(b))) {
		var r runtime.Round
		runtime.ReadRound(f, &r)
		read.last = append(read.last, r.Exec)
	}
	runtime.ReadScalar(f, &rounds)
	for range min(rounds, int64(len(b))) {
		x := &session{}
		x.read(f, len(b))
		read.open = append(read.open, x)
	}
	if err := f.End(); err != nil {
		return err
	}
	for _, x := range read.open {
		if err := read.unlock(x); err != nil {
			return err
		}
	}
	*s = read
	return nil
}

// read reads a round from a state of size bytes.
func (s *session) read(f *runtime.Fields, size int) {
	runtime.ReadRound(f, &s.of)
	runtime.ReadScalar(f, &s.number)
	answered := int64(0)
	runtime.ReadScalar(f, &answered)
	s.answered = step(min(max(answered, int64(askedKeys)), int64(askedReveal)))
	for _, part := range []*[]byte{&s.roster, &s.inbox, &s.survivors} {
		var n int64
		runtime.ReadScalar(f, &n)
		*part = f.Bytes(int(min(max(n, 0), int64(size)+1)))
	}
}
