"""Places and lists an order: python3 sign.py KEY.pem [http://127.0.0.1:7420/api]"""
import base64, json, subprocess, sys, tempfile, time, urllib.error, urllib.request, uuid

key_file = sys.argv[1]
root = sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:7420/api"


def openssl(*args):
    return subprocess.run(["openssl", *args], check=True, stdout=subprocess.PIPE).stdout


def sign_with_openssl(message):
    with tempfile.NamedTemporaryFile() as file:
        file.write(message)
        file.flush()
        return openssl("pkeyutl", "-sign", "-rawin", "-inkey", key_file, "-in", file.name)


try:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    with open(key_file, "rb") as file:
        private_key = load_pem_private_key(file.read(), None)
    public_key = private_key.public_key().public_bytes_raw()
    sign = private_key.sign
except (ImportError, AttributeError):  # Missing or older than 40; Python alone has no Ed25519.
    public_key = openssl("pkey", "-in", key_file, "-pubout", "-outform", "DER")[-32:]
    sign = sign_with_openssl


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def call(method, path, body=None):
    data = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
    timestamp = str(time.time_ns() // 1_000_000)
    headers = {
        "X-SVC-KEY": base64url(public_key),
        "X-SVC-SIGN": base64url(sign((timestamp + method + path).encode() + data)),
        "X-SVC-TIMESTAMP": timestamp,
    }
    if data:
        headers |= {"Content-Type": "application/json", "X-Idempotency-Key": str(uuid.uuid4())}
    request = urllib.request.Request(root + path, data or None, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        return json.load(error)


order = {
    "exchange": "paper-spot",
    "symbol": "BTCUSDT",
    "side": "BUY",
    "type": "LIMIT",
    "quantity": "0.01",
    "price": "50000",
}
print(call("POST", "/v2/orders", order))
print(call("GET", "/v2/orders?status=open"))
