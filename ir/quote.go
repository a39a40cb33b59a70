package ir

import (
	"fmt"
	"strings"
)

// quoteName returns s unchanged if it is a name with dots, and quoted otherwise.
func quoteName(s string) string {
	if bareName(s) {
		return s
	}
	return fmt.Sprintf("%q", s)
}

// bareName reports whether s is a letter or an underscore, followed by letters, underscores, digits and dots.
// A single underscore stands for an omitted value.
func bareName(s string) bool {
	if s == "" || s == "_" || !nameByte(s[0]) || s[0] == '.' || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return true
}

// bareValue reports whether the name of a value needs no quotes. It must not end with a punctuation
// character, which could belong to the text that follows.
func bareValue(s string) bool {
	for i := range len(s) {
		if !valueByte(s[i]) {
			return false
		}
	}
	return s != "" && !trailingByte(s[len(s)-1])
}

func nameByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func valueByte(c byte) bool { return nameByte(c) || c == '/' || trailingByte(c) }

func trailingByte(c byte) bool { return c == '.' || c == ':' || c == '-' }

// qualified returns a name with its domain: "ai.onnx.ml:Scaler".
func qualified(domain, name string) string {
	if domain == "" {
		return quoteName(name)
	}
	return quoteName(domain) + ":" + quoteName(name)
}

// valueText returns the text of a value at its use: %x, or _ if it is omitted.
func valueText(v *Value) string {
	switch {
	case v == nil:
		return "_"
	case bareValue(v.Name):
		return "%" + v.Name
	}
	return fmt.Sprintf("%%%q", v.Name)
}

func valuesText(vs []*Value) string {
	items := make([]string, len(vs))
	for i, v := range vs {
		items[i] = valueText(v)
	}
	return strings.Join(items, ", ")
}
