// Package text holds the operators of strings.
package text
