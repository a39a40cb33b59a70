package onnx

import "google.golang.org/protobuf/encoding/protowire"

// wireField is one encoded field of a message.
type wireField struct {
	num     protowire.Number
	whole   []byte // with its tag
	content []byte // of a message or a string of bytes; nil for other fields
	value   uint64 // of a varint
}

// fields splits a message into its fields.
func fields(b []byte) ([]wireField, error) {
	var out []wireField
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		m := protowire.ConsumeFieldValue(num, typ, b[n:])
		if m < 0 {
			return nil, protowire.ParseError(m)
		}
		f := wireField{num: num, whole: b[:n+m]}
		switch typ {
		case protowire.BytesType:
			f.content, _ = protowire.ConsumeBytes(b[n:])
		case protowire.VarintType:
			f.value, _ = protowire.ConsumeVarint(b[n:])
		}
		out = append(out, f)
		b = b[n+m:]
	}
	return out, nil
}

// parts is an encoded message in several pieces of memory: what changes inside a message is not copied for each message
// around it.
type parts struct {
	list [][]byte
	size int
}

func (p *parts) add(b []byte) {
	p.list = append(p.list, b)
	p.size += len(b)
}

// addField adds a field that is a message or a string of bytes.
func (p *parts) addField(num protowire.Number, content parts) {
	p.add(protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.BytesType), uint64(content.size)))
	p.list = append(p.list, content.list...)
	p.size += content.size
}

func (p *parts) bytes() []byte {
	out := make([]byte, 0, p.size)
	for _, b := range p.list {
		out = append(out, b...)
	}
	return out
}

// edits are functions that return the new content of fields, by the numbers of these.
type edits map[protowire.Number]func(content []byte) (parts, error)

// edit returns a message with changed fields.
func edit(b []byte, changes edits) (parts, error) {
	var out parts
	list, err := fields(b)
	if err != nil {
		return out, err
	}
	for _, f := range list {
		change := changes[f.num]
		if change == nil || f.content == nil {
			out.add(f.whole)
			continue
		}
		content, err := change(f.content)
		if err != nil {
			return out, err
		}
		out.addField(f.num, content)
	}
	return out, nil
}
