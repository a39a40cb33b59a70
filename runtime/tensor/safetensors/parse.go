package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/tensor"
)

const (
	maxTensors = 1 << 20
	maxRank    = 255
)

// parser reads a header token by token. Its form is fixed, so the nesting is limited.
type parser struct{ dec *json.Decoder }

func parseHeader(text []byte) (*header, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, fmt.Errorf("begins with %.20q, want {", text)
	}
	if !utf8.Valid(text) {
		return nil, errors.New("is not UTF-8")
	}
	p := &parser{json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	h := &header{}
	err := p.object(func(name string) error {
		var err error
		if name == metadataKey {
			h.metadata, err = p.stringMap()
			return err
		}
		if len(h.entries) == maxTensors {
			return fmt.Errorf("more than %d tensors", maxTensors)
		}
		e, err := p.entry()
		e.name = name
		h.entries = append(h.entries, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimRight(text[p.dec.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("goes on after its end with %.20q", rest)
	}
	return h, nil
}

// entry reads {"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}.
func (p *parser) entry() (e entry, err error) {
	found := 0
	err = p.object(func(key string) error {
		found++
		switch key {
		case "dtype":
			name, err := p.string()
			if err != nil {
				return err
			}
			if e.dtype = byName(name); e.dtype == tensor.Undefined {
				return fmt.Errorf("%q is no type that can be read", name)
			}
			return nil
		case "shape":
			dims, err := p.numbers(maxRank)
			for _, d := range dims {
				if int64(int(d)) != d {
					return fmt.Errorf("dimension %d does not fit this machine", d)
				}
				e.shape = append(e.shape, int(d))
			}
			return err
		case "data_offsets":
			offs, err := p.numbers(2)
			if err == nil && (len(offs) != 2 || offs[0] > offs[1]) {
				err = fmt.Errorf("is %v, want where the tensor begins and ends", offs)
			}
			if err == nil {
				e.begin, e.end = offs[0], offs[1]
			}
			return err
		}
		return errors.New("unknown, want dtype, shape or data_offsets")
	})
	if err == nil && found != 3 {
		err = errors.New("want dtype, shape and data_offsets")
	}
	return e, err
}

// object reads an object; visit reads the value of each key.
func (p *parser) object(visit func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.More() {
		key, err := p.string()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("%q is there twice", key)
		}
		seen[key] = true
		if err := visit(key); err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
	}
	return p.delim('}')
}

func (p *parser) stringMap() (map[string]string, error) {
	m := map[string]string{}
	err := p.object(func(key string) (err error) {
		m[key], err = p.string()
		return err
	})
	return m, err
}

// numbers reads a list of at most limit numbers that are not negative.
func (p *parser) numbers(limit int) ([]int64, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	var list []int64
	for p.dec.More() {
		tok, err := p.token()
		if err != nil {
			return nil, err
		}
		num, ok := tok.(json.Number)
		if !ok {
			return nil, fmt.Errorf("found %v, want a number", tok)
		}
		n, err := strconv.ParseUint(num.String(), 10, 63)
		if err != nil {
			return nil, fmt.Errorf("found %s, want a whole number from 0 on", num)
		}
		if len(list) == limit {
			return nil, fmt.Errorf("more than %d numbers", limit)
		}
		list = append(list, int64(n))
	}
	return list, p.delim(']')
}

func (p *parser) string() (string, error) {
	tok, err := p.token()
	if err != nil {
		return "", err
	}
	s, ok := tok.(string)
	if !ok {
		return "", fmt.Errorf("found %v, want a string", tok)
	}
	return s, nil
}

func (p *parser) delim(want json.Delim) error {
	tok, err := p.token()
	if err != nil {
		return err
	}
	if tok != want {
		return fmt.Errorf("found %v, want %v", tok, want)
	}
	return nil
}

func (p *parser) token() (json.Token, error) {
	tok, err := p.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return tok, err
}
