// Package control holds control flow: If, Loop and Scan, whose regions are inferred here,
// differentiated by package grad and printed by package codegen; and Require, which ends a
// run whose sizes a node cannot take.
package control
