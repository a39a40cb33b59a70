package wire

import (
	"math"
	"unicode/utf8"
)

// Protocol is the version of the protocol between peers that this package implements.
const Protocol = 1

// Hello begins every stream, in both directions. No other message is read before it is accepted.
type Hello struct {
	Protocol    uint32
	Fingerprint []byte   // of the program: its edges and their types
	Classes     []string // that the peer claims; its admission decides
	Incarnation uint64   // larger at each start of the peer; 0: it only asks whether it would be admitted
	Fresh       bool     // this incarnation has lost what earlier ones have acknowledged
	MaxEnvelope uint64   // maximum bytes of an envelope that the peer accepts
	MaxFill     uint64   // maximum bytes of a fill that it accepts without chunks
	KernelLevel string   // the level of its kernels: portable, avx2, …
	JoinProof   []byte   // proof of an invitation; empty if the peer is already known
	BuildID     string   // for logs
	Unix        uint64   // ns: the sender's time, for diagnostics
	Introduces  bool     // it accepts introductions, see [Introduction]
	Refusal     string   // why the peer refuses the other one: then no other field counts, and the stream ends

	// Conversation is a random number that the accepting peer gives to an envelope stream. It repeats on the
	// parallel streams that belong to it. 0: there can be none.
	Conversation uint64
	Streams      int // on an envelope stream: how many parallel streams the peer accepts
	Stream       int // on a parallel stream: its number, from 1
}

// message Hello
const (
	helloProtocol    = 1<<3 | varintType
	helloFingerprint = 2<<3 | bytesType
	helloClasses     = 3<<3 | bytesType
	helloIncarnation = 4<<3 | varintType
	helloMaxEnvelope = 5<<3 | varintType
	helloMaxFill     = 6<<3 | varintType
	helloKernelLevel = 7<<3 | bytesType
	helloJoinProof   = 8<<3 | bytesType
	helloBuildID     = 9<<3 | bytesType
	helloRefusal     = 10<<3 | bytesType
	helloUnix        = 11<<3 | varintType
	helloFresh       = 12<<3 | varintType
	helloIntroduces  = 13<<3 | varintType

	helloConversation = 14<<3 | varintType
	helloStreams      = 15<<3 | varintType
	helloStream       = 16<<3 | varintType
)

// AppendHello appends a Hello.
func AppendHello(b []byte, h *Hello) []byte {
	b = appendVarint(b, helloProtocol, uint64(h.Protocol))
	b = appendBytes(b, helloFingerprint, h.Fingerprint)
	for _, c := range h.Classes {
		b = append(appendHead(b, helloClasses, len(c)), c...)
	}
	b = appendVarint(b, helloIncarnation, h.Incarnation)
	b = appendVarint(b, helloMaxEnvelope, h.MaxEnvelope)
	b = appendVarint(b, helloMaxFill, h.MaxFill)
	b = appendBytes(b, helloKernelLevel, h.KernelLevel)
	b = appendBytes(b, helloJoinProof, h.JoinProof)
	b = appendBytes(b, helloBuildID, h.BuildID)
	b = appendBytes(b, helloRefusal, h.Refusal)
	b = appendVarint(b, helloUnix, h.Unix)
	if h.Fresh {
		b = appendVarint(b, helloFresh, 1)
	}
	if h.Introduces {
		b = appendVarint(b, helloIntroduces, 1)
	}
	b = appendVarint(b, helloConversation, h.Conversation)
	b = appendVarint(b, helloStreams, uint64(h.Streams))
	return appendVarint(b, helloStream, uint64(h.Stream))
}

// ConsumeHello reads a Hello, which is all of b. Fingerprint and JoinProof alias
// b.
func ConsumeHello(b []byte, lim *Limits) (h Hello, err error) {
	if err := within("hello", len(b), lim.Hello); err != nil {
		return Hello{}, err
	}
	for len(b) > 0 {
		var t tag
		var v uint64
		var p []byte
		if t, v, p, b, err = next(b); err != nil {
			return Hello{}, malformed("hello", "%v", err)
		}
		if err := h.consume(t, v, p, lim); err != nil {
			return Hello{}, err
		}
	}
	return h, nil
}

// consume sets the field of a tag to its number v, or its bytes p. Unknown fields are ignored: they are of newer versions.
func (h *Hello) consume(t tag, v uint64, p []byte, lim *Limits) (err error) {
	switch t {
	case helloProtocol:
		h.Protocol = uint32(min(v, math.MaxUint32))
	case helloFingerprint:
		h.Fingerprint, err = p, within("hello: fingerprint", len(p), lim.Proof)
	case helloClasses:
		if err = within("hello: classes", len(h.Classes)+1, lim.Classes); err == nil {
			var c string
			c, err = consumeName("class", p, lim)
			h.Classes = append(h.Classes, c)
		}
	case helloIncarnation:
		h.Incarnation = v
	case helloMaxEnvelope:
		h.MaxEnvelope = v
	case helloMaxFill:
		h.MaxFill = v
	case helloKernelLevel:
		h.KernelLevel, err = consumeName("kernel level", p, lim)
	case helloJoinProof:
		h.JoinProof, err = p, within("hello: join proof", len(p), lim.Proof)
	case helloBuildID:
		h.BuildID, err = consumeName("build id", p, lim)
	case helloUnix:
		h.Unix = v
	case helloFresh:
		h.Fresh = v != 0
	case helloIntroduces:
		h.Introduces = v != 0
	case helloConversation:
		h.Conversation = v
	case helloStreams:
		h.Streams = int(min(v, math.MaxInt32))
	case helloStream:
		h.Stream = int(min(v, math.MaxInt32))
	case helloRefusal:
		h.Refusal, err = consumeName("refusal", p, lim)
	}
	return err
}

// consumeName reads a name that may appear in logs: without control characters.
func consumeName(what string, p []byte, lim *Limits) (string, error) {
	if err := within("hello: "+what, len(p), lim.Name); err != nil {
		return "", err
	}
	for _, c := range p {
		if c < ' ' || c == 0x7f {
			return "", malformed("hello", "%s: control character %#x", what, c)
		}
	}
	if !utf8.Valid(p) {
		return "", malformed("hello", "%s is not UTF-8", what)
	}
	return string(p), nil
}
