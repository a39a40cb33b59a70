package wire

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// segment is a part of a binary address: a code of multiaddr's table, and how its bytes are written as text.
type segment struct {
	code uint64
	name string
	size int // of the bytes; -1: it precedes them
	text func([]byte) (string, error)
}

// segments are the parts of binary addresses that are read: those of bytesandbrains, and those of addresses of the
// networks that peers use.
var segments = []segment{
	{4, "ip4", 4, ip4Text},
	{41, "ip6", 16, ip6Text},
	{6, "tcp", 2, portText},
	{273, "udp", 2, portText},
	{53, "dns", -1, nameText},
	{54, "dns4", -1, nameText},
	{55, "dns6", -1, nameText},
	{461, "quic-v1", 0, nil},
	{421, "p2p", -1, hashText},
	{codeSite, "site", 8, func(b []byte) (string, error) { return strconv.FormatUint(binary.BigEndian.Uint64(b), 10), nil }},
	{codeComponent, "component", 4, func(b []byte) (string, error) {
		return strconv.FormatUint(uint64(binary.BigEndian.Uint32(b)), 10), nil
	}},
	{codeOp, "op", -1, nameText},
}

// ip4Text and ip6Text write addresses of networks, without package net, which only hosts link.
func ip4Text(b []byte) (string, error) {
	parts := make([]string, len(b))
	for i, x := range b {
		parts[i] = strconv.Itoa(int(x))
	}
	return strings.Join(parts, "."), nil
}

func ip6Text(b []byte) (string, error) {
	var parts []string
	for ; len(b) >= 2; b = b[2:] {
		parts = append(parts, strconv.FormatUint(uint64(binary.BigEndian.Uint16(b)), 16))
	}
	return strings.Join(parts, ":"), nil
}

func portText(b []byte) (string, error) {
	return strconv.Itoa(int(binary.BigEndian.Uint16(b))), nil
}

func nameText(b []byte) (string, error) {
	if len(b) == 0 || strings.ContainsRune(string(b), '/') {
		return "", malformed("address", "%.40q is no name", b)
	}
	return string(b), nil
}

func hashText(b []byte) (string, error) {
	if err := checkMultihash(b); err != nil {
		return "", fmt.Errorf("address: %w", err)
	}
	return string(appendBase58(nil, b)), nil
}

// consumeMultiaddr reads an address in an envelope: a text, or the binary form that bytesandbrains writes, which
// becomes a text.
func consumeMultiaddr(b []byte, lim *Limits) (Address, error) {
	if len(b) == 0 || b[0] == '/' { // no code of a segment is that of a slash
		return ParseAddress(b, lim)
	}
	if err := within("address", len(b), lim.Address); err != nil {
		return "", err
	}
	var text strings.Builder
	for len(b) > 0 {
		code, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return "", malformed("address", "%v", parseError(n))
		}
		s, err := segmentOf(code)
		if err != nil {
			return "", err
		}
		value, rest, ok := s.cut(b[n:])
		if !ok {
			return "", malformed("address", "%s ends early", s.name)
		}
		text.WriteString("/" + s.name)
		if b = rest; s.text == nil {
			continue
		}
		t, err := s.text(value)
		if err != nil {
			return "", err
		}
		text.WriteString("/" + t)
	}
	return ParseAddress(text.String(), lim)
}

func segmentOf(code uint64) (segment, error) {
	for _, s := range segments {
		if s.code == code {
			return s, nil
		}
	}
	return segment{}, malformed("address", "there is no part with code %d", code)
}

// cut returns the bytes of a segment, and what follows.
func (s segment) cut(b []byte) (value, rest []byte, ok bool) {
	if s.size < 0 {
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return nil, nil, false
		}
		return value, b[n:], true
	}
	if len(b) < s.size {
		return nil, nil, false
	}
	return b[:s.size], b[s.size:], true
}
