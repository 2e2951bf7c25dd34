// Lends a translator to toolcall-conformance: questions come on standard input, answers go to standard output.
// Print to standard error only: standard output belongs to the protocol.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

// Body is a request or reply as it stands on the wire. To look into it, decode it with a json.Decoder and UseNumber:
// a float64 cannot hold every whole number of 64 bits.
type Body = json.RawMessage

type Headers = map[string]string

type Route struct {
	Client        string `json:"client"`
	Upstream      string `json:"upstream"`
	ClientModel   string `json:"client_model"`
	UpstreamModel string `json:"upstream_model"`
	Stream        bool   `json:"stream"`
}

// Unsupported says that this route or operation is not done.
type Unsupported string

func (why Unsupported) Error() string { return string(why) }

// Refused says that this input is not taken, and why.
type Refused string

func (why Refused) Error() string { return string(why) }

// ---------------------------------------------------------------- YOUR TRANSLATOR

const (
	name    = "my-translator"
	version = "0.1.0"
)

// Session is one conversation: what it needs to remember between its turns, it keeps here.
type Session struct {
	route Route
}

func open(route Route) (*Session, error) {
	if route.Client != route.Upstream {
		return nil, Unsupported(fmt.Sprintf("no %s-to-%s yet", route.Client, route.Upstream))
	}
	return &Session{route}, nil
}

// Request translates the client's request for the upstream.
func (session *Session) Request(body Body) (Body, error) {
	return body, nil
}

// Response translates the upstream's reply for the client.
func (session *Session) Response(body Body) (Body, error) {
	return body, nil
}

// Error translates the upstream's error for the client.
func (session *Session) Error(status int, headers Headers, body Body) (int, Headers, Body, error) {
	return status, headers, body, nil
}

// ---------------------------------------------------------------- the protocol; no need to change it

type question struct {
	Op      string          `json:"op"`
	Seq     json.RawMessage `json:"seq"`
	Session string          `json:"session"`
	Route   Route           `json:"route"`
	Status  int             `json:"status"`
	Headers Headers         `json:"headers"`
	Body    Body            `json:"body"`
}

type fields = map[string]any

var sessions = map[string]*Session{}

func answer(message question) (told fields, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			told = fields{"failed": fmt.Sprint("panic: ", reason), "traceback": string(debug.Stack())}
			err = nil
		}
	}()
	switch message.Op {
	case "hello":
		return fields{"protocol": 1, "name": name, "version": version}, nil
	case "open":
		session, err := open(message.Route)
		sessions[message.Session] = session
		return fields{"operations": []string{"request", "response", "error"}}, err
	case "close":
		delete(sessions, message.Session)
		return fields{}, nil
	}
	session := sessions[message.Session]
	if session == nil {
		return nil, fmt.Errorf("no session %s", message.Session)
	}
	switch message.Op {
	case "request":
		body, err := session.Request(message.Body)
		return fields{"body": body}, err
	case "response":
		body, err := session.Response(message.Body)
		return fields{"body": body}, err
	case "error":
		status, headers, body, err := session.Error(message.Status, message.Headers, message.Body)
		return fields{"status": status, "headers": headers, "body": body}, err
	}
	return nil, Unsupported("no operation " + message.Op)
}

func instead(err error) fields {
	var unsupported Unsupported
	var refused Refused
	switch {
	case errors.As(err, &unsupported):
		return fields{"unsupported": err.Error()}
	case errors.As(err, &refused):
		return fields{"refused": err.Error()}
	}
	return fields{"failed": err.Error()}
}

func line(seq json.RawMessage, told fields) []byte {
	told["seq"] = seq
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(told); err != nil { // the translator returned something that is no JSON
		return line(seq, fields{"failed": err.Error()})
	}
	return text.Bytes()
}

func main() {
	input := bufio.NewReader(os.Stdin) // a bufio.Scanner would stop at the first long line
	for {
		text, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var message question
		if err := json.Unmarshal(text, &message); err != nil {
			fmt.Fprintln(os.Stderr, "not a question:", err)
			os.Exit(1)
		}
		told, err := answer(message)
		if err != nil {
			told = instead(err)
		}
		if _, err := os.Stdout.Write(line(message.Seq, told)); err != nil {
			return
		}
	}
}
