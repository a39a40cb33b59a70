//go:build !unix

package spool

const unlinks = false
