package secagg

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/values"
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

	secrets *secrets               // derived from the number
	pairs   *pairs                 // those of the peer
	opened  map[wire.PeerID][]byte // shares that neighbors have given, without their encryption
}

// store is the rounds of a peer, and its secret.
type store struct {
	key    [sha256.Size]byte
	number uint64 // of rounds so far
	open   byround.Values[session]
	last   []wire.ExecID // the last execution of each server
	pairs  *pairs        // derived from the key when they are needed
}

// maxServers limits the servers whose executions a peer remembers. One that is forgotten could repeat a round.
const maxServers = 1 << 12

// Enter sets the execution to which the following calls belong.
func (s *store) Enter(r runtime.Round) { s.open.Enter(r) }

// Leave forgets an execution.
func (s *store) Leave(r runtime.Round) { s.open.Leave(r) }

// begin begins a new round, with secrets of its own. It refuses an execution that is not after the last one of
// its server, as its keys may be known.
func (s *store) begin() (*session, error) {
	exec := s.open.Round().Exec
	i := slices.IndexFunc(s.last, func(e wire.ExecID) bool { return e.Origin == exec.Origin })
	switch {
	case i < 0 && len(s.last) >= maxServers:
		return nil, fmt.Errorf("%v is one server too many: this peer has taken part in rounds of %d others", exec.Origin, maxServers)
	case i < 0:
		s.last = append(s.last, exec)
	case exec.Incarnation < s.last[i].Incarnation || exec.Incarnation == s.last[i].Incarnation && exec.Number <= s.last[i].Number:
		return nil, fmt.Errorf("execution %d comes after %d: keys for it may be known", exec.Number, s.last[i].Number)
	default:
		s.last[i] = exec
	}
	x := &session{of: s.open.Round(), number: s.number, answered: askedKeys}
	if err := s.unlock(x); err != nil {
		return nil, err
	}
	s.number++
	return s.open.Add(x), nil
}

// unlock derives the secrets of a round.
func (s *store) unlock(x *session) (err error) {
	if s.pairs == nil {
		if s.pairs, err = pairsOf(s.key); err != nil {
			return err
		}
	}
	x.pairs, x.opened = s.pairs, map[wire.PeerID][]byte{}
	x.secrets, err = secretsOf(sha256.Sum256(values.AppendScalar(s.key[:], x.number)))
	return err
}

var errNoRound = errors.New("there is no such round: it has ended, or this peer has begun anew since")

// next returns the round of a call, whose last answered request must be after. A request is answered once,
// whether or not that succeeds: two answers together could reveal more than a peer wants.
func (s *store) next(after step) (*session, error) {
	x := s.open.First()
	switch {
	case x == nil:
		return nil, errNoRound
	case x.answered != after:
		return nil, fmt.Errorf("%v is requested after %v", after+1, x.answered)
	}
	x.answered++
	return x, nil
}

// random returns the random source for shares.
func (s *secrets) random() io.Reader { return rand.NewChaCha8(s.shares) }

// agreement returns the text that a peer signs: everything that it has received.
func (s *session) agreement() []byte {
	return separated(s.of, "agreement", s.roster, s.inbox, s.survivors)
}

// open decrypts the shares that a neighbor has given: of its masks with others, and of its own.
func (s *session) open(roster []message, self, from wire.PeerID, body []byte) ([]byte, error) {
	if shares := s.opened[from]; shares != nil {
		return shares, nil // there is one message of a peer in a round
	}
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
	seal, err := s.sealer(from, &o, from, self)
	if err != nil {
		return nil, err
	}
	shares, err := seal.Open(nil, make([]byte, seal.NonceSize()), given[at].body, separated(s.of, "shares", s.roster))
	if err == nil && len(shares) != 2*secretSize {
		err = fmt.Errorf("they have %d bytes, want %d", len(shares), 2*secretSize)
	}
	if err != nil {
		return nil, err
	}
	s.opened[from] = shares
	return shares, nil
}

// AppendBinary appends the secret, and the present rounds.
func (s *store) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(append(b, s.key[:]...), s.number)
	b = values.AppendScalar(b, int64(len(s.last)))
	for _, e := range s.last {
		b, _ = runtime.Round{Exec: e}.AppendBinary(b)
	}
	return s.open.Append(b, func(b []byte, x *session) []byte {
		b = values.AppendScalar(values.AppendScalar(b, x.number), int64(x.answered))
		for _, part := range [][]byte{x.roster, x.inbox, x.survivors} {
			b = append(values.AppendScalar(b, int64(len(part))), part...)
		}
		return b
	}), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *store) UnmarshalBinary(b []byte) error {
	var n int64
	var read store
	f := values.NewFields(slices.Clone(b)) // parts of it are kept
	copy(read.key[:], f.Bytes(len(read.key)))
	values.ReadScalar(f, &read.number)
	values.ReadScalar(f, &n)
	for i := int64(0); i < n && f.Err() == nil; i++ {
		var r runtime.Round
		r.Read(f)
		read.last = append(read.last, r.Exec)
	}
	err := read.open.Read(f, func(f *values.Fields, x *session) error {
		x.read(f, len(b))
		return nil
	})
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	for r, x := range read.open.Each() {
		x.of = r
		if err := read.unlock(x); err != nil {
			return err
		}
	}
	s.key, s.number, s.last, s.pairs = read.key, read.number, read.last, read.pairs
	s.open.Replace(read.open)
	return nil
}

// read reads a round from a state of size bytes.
func (s *session) read(f *values.Fields, size int) {
	values.ReadScalar(f, &s.number)
	answered := int64(0)
	values.ReadScalar(f, &answered)
	s.answered = step(min(max(answered, int64(askedKeys)), int64(askedReveal)))
	for _, part := range []*[]byte{&s.roster, &s.inbox, &s.survivors} {
		var n int64
		values.ReadScalar(f, &n)
		*part = f.Bytes(int(min(max(n, 0), int64(size)+1)))
	}
}
