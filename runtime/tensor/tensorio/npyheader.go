package tensorio

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// npyHeader is the header of a .npy file.
type npyHeader struct {
	descr   string
	fortran bool
	shape   []int
}

// parseNPYHeader reads a header, a Python literal of fixed form:
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
func parseNPYHeader(s string) (h npyHeader, err error) {
	p := literal{rest: s}
	seen := map[string]bool{}
	if err := p.want("{"); err != nil {
		return h, err
	}
	for !p.take("}") {
		key, err := p.text()
		if err == nil {
			err = p.want(":")
		}
		if err == nil && seen[key] {
			err = errors.New("is there twice")
		}
		if err == nil {
			err = h.set(key, &p)
		}
		if err != nil {
			return h, fmt.Errorf("header key %q: %w", key, err)
		}
		seen[key] = true
		if !p.take(",") && !strings.HasPrefix(p.peek(), "}") {
			return h, fmt.Errorf("header has %.20q, want , or }", p.rest)
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return h, fmt.Errorf("header has no %q", key)
		}
	}
	if p.peek() != "" {
		return h, fmt.Errorf("header has %.20q after its end", p.rest)
	}
	return h, nil
}

// set reads the value of key.
func (h *npyHeader) set(key string, p *literal) (err error) {
	switch key {
	case "descr":
		h.descr, err = p.text()
	case "fortran_order":
		h.fortran, err = p.bool()
	case "shape":
		h.shape, err = p.tuple()
	default:
		err = errors.New("unknown, want descr, fortran_order or shape")
	}
	return err
}

// literal reads Python literals from the front of rest.
type literal struct{ rest string }

// peek returns the rest without leading space.
func (p *literal) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \t\n")
	return p.rest
}

func (p *literal) take(token string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.peek(), token)
	return ok
}

func (p *literal) want(token string) error {
	if !p.take(token) {
		return fmt.Errorf("found %.20q, want %s", p.rest, token)
	}
	return nil
}

// text reads 'text' or "text" without escapes.
func (p *literal) text() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if !p.take(quote) {
			continue
		}
		s, rest, ok := strings.Cut(p.rest, quote)
		if !ok {
			return "", fmt.Errorf("found %.20q, want a closing %s", p.rest, quote)
		}
		p.rest = rest
		return s, nil
	}
	return "", fmt.Errorf("found %.20q, want a string", p.rest)
}

func (p *literal) bool() (bool, error) {
	switch {
	case p.take("True"):
		return true, nil
	case p.take("False"):
		return false, nil
	}
	return false, fmt.Errorf("found %.20q, want True or False", p.rest)
}

// tuple reads (), (2,) or (2, 3).
func (p *literal) tuple() ([]int, error) {
	if err := p.want("("); err != nil {
		return nil, err
	}
	shape := []int{}
	for !p.take(")") {
		digits := p.peek()
		if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
			digits = digits[:i]
		}
		d, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Errorf("found %.20q, want a dimension", p.rest)
		}
		if len(shape) == maxRank {
			return nil, fmt.Errorf("more than %d dimensions", maxRank)
		}
		shape, p.rest = append(shape, d), p.rest[len(digits):]
		if !p.take(",") && !strings.HasPrefix(p.peek(), ")") {
			return nil, fmt.Errorf("found %.20q, want , or )", p.rest)
		}
	}
	return shape, nil
}
