package wire

// Ping requests a sign of life on the envelope stream, between envelopes. The host answers it, independent of
// the peer's program.
type Ping struct {
	ID     uint64 // of the requester, not 0; the answer has the same
	Answer bool
	Unix   uint64 // ns: the sender's time
	Every  uint64 // ns: the sender's interval of pings, which the other end adopts if it is longer than its own; 0: not told
}

// message Ping, which has no field of an envelope
const (
	pingID     = 19<<3 | varintType
	pingAnswer = 20<<3 | varintType
	pingUnix   = 21<<3 | varintType
	pingEvery  = 29<<3 | varintType
)

// pingHead is the tag at the beginning of every Ping, but of no envelope of [AppendEnvelope].
const pingHead = "\x98\x01"

// AppendPing appends a Ping.
func AppendPing(b []byte, p Ping) []byte {
	b = appendVarint(b, pingID, p.ID)
	if p.Answer {
		b = appendVarint(b, pingAnswer, 1)
	}
	b = appendVarint(b, pingUnix, p.Unix)
	return appendVarint(b, pingEvery, p.Every)
}

// IsPing reports whether a message of the envelope stream is a Ping.
func IsPing(b []byte) bool { return len(b) > len(pingHead) && string(b[:len(pingHead)]) == pingHead }

// ConsumePing reads a Ping, which is all of b.
func ConsumePing(b []byte) (p Ping, err error) {
	for len(b) > 0 {
		var t tag
		var v uint64
		if t, v, _, b, err = next(b); err != nil {
			return Ping{}, malformed("ping", "%v", err)
		}
		switch t {
		case pingID:
			p.ID = v
		case pingAnswer:
			p.Answer = v != 0
		case pingUnix:
			p.Unix = v
		case pingEvery:
			p.Every = v
		}
	}
	if p.ID == 0 {
		return Ping{}, malformed("ping", "no id")
	}
	return p, nil
}
