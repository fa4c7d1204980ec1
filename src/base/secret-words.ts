import { en } from "./words/en.ts";

/** Says beside every form of a server whose it is, and what never belongs into one. */
export function secretWarning(server: string): string {
  return en.recorded.secretWarning(server);
}

/** Look-alikes of Latin letters in other alphabets, in lower case. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  `a=аαɑ b=вьβ c=сϲς d=ԁđ e=еεє g=ɡ h=һհн i=іιı j=ј
   k=кκ l=ӏłⅼ m=м n=ոη o=оοօøσ p=рρ q=ԛ r=гᴦ s=ѕꜱ
   t=тτ u=սυ v=ν w=ԝѡω x=хχ y=уγү`
    .split(/\s+/)
    .flatMap(([latin = "", , ...others]) => others.map((other) => [other, latin])),
);
/** Figures and signs that are written for letters. */
const FIGURES: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: "o", 1: "i", 3: "e", 4: "a", 5: "s", "@": "a", $: "s" }),
);

/** Longer texts are not looked through to their end, and belong into no form. */
export const LONGEST = 4_000;

/** A text as it reads: one form of each letter, no accents, nothing invisible, letters set apart put together. */
function asRead(text: string): string {
  return (
    text
      .slice(0, LONGEST)
      .normalize("NFKD")
      // One character may stand for a sentence of eighteen.
      .slice(0, 2 * LONGEST)
      .replace(/[\p{M}\p{Cf}\p{Cc}\u115f\u1160\u3164\uffa0]/gu, (sign) => (/\s/.test(sign) ? " " : ""))
      .toLowerCase()
      .normalize("NFC")
      .replace(
        /(?<![\p{L}\p{N}])[\p{L}\p{N}@$](?:[\s._·•*-]{1,3}[\p{L}\p{N}@$](?![\p{L}\p{N}])){3,}/gu,
        (letters) => letters.replace(/[\s._·•*-]/g, ""),
      )
      .replace(/\s+/g, " ")
  );
}

function replaced(text: string, by: ReadonlyMap<string, string>): string {
  return text.replace(/[^a-z ]/gu, (sign) => by.get(sign) ?? sign);
}

/** All that a text may be read as. */
function readings(text: string): string[] {
  const plain = asRead(text);
  const latin = replaced(plain, LOOK_ALIKES);
  return [...new Set([plain, latin, replaced(latin, FIGURES)])];
}

const ENGLISH =
  /\b(pass ?(word|code|phrase|wd)|(access|api|auth|bearer|refresh|session) ?(token|key)|(secret|private) ?key|credential|cvv|cvc|one.time (code|password)|social security|(seed|recovery) (phrase|word|code)|(verification|security|authentication|2fa|mfa|log ?in|sign.?in) code|card number)s?\b/i;
/** A message that asks for one, whatever the field is called. */
const ASKED_FOR =
  /\b(enter|provide|give|type|paste|share|send|confirm|what is)\b[^.!?\n]{0,30}\b(your|the|a|an)\b[^.!?\n]{0,20}\b(pass ?(word|code|phrase)|(access|api|auth|secret|private) ?(token|key)|credentials?|one.time (code|password)|pin code|(verification|security|authentication|2fa|mfa) code|(seed|recovery) (phrase|words?|codes?)|card number)\b/i;
/** A code that was sent to somebody, without its name: "the 6 digits from your phone". */
const SENT_CODE =
  /\b(?:digits?|numbers?|figures?|code|otp)\b[^.!?\n]{0,40}\b(?:from|on|in|to|by|via|texted|sent|received)\b[^.!?\n]{0,25}\b(?:phone|mobile|sms|text message|authenticator|e-?mail|inbox|app|card)\b|\bcode (?:that )?(?:we|i) (?:just )?(?:sent|texted|e-?mailed)\b/i;
/** Words that say it in a name, and may say anything in a sentence. */
const IN_NAMES = /\b(secret|token|otp|pin|tan)s?\b/i;

/** The same in other languages; each is looked for as `asRead` writes it. */
const ELSEWHERE = `
  passwort, kennwort, passwörter, geheimzahl, sicherheitscode, bestätigungscode, einmalcode,
  zugangsdaten, zugangscode, api-schlüssel, privater schlüssel, privaten schlüssel, mot de passe,
  mots de passe, code secret, code de vérification, code de sécurité, clé privée,
  code confidentiel, jeton d'accès, clé secrète, clé api, contraseña, clave secreta, clave privada,
  clave de acceso, código de verificación, código de seguridad, codice di verifica,
  codice di sicurezza, codice segreto, parola d'ordine, chiave segreta, chiave privata, senha,
  palavra-passe, código de segurança, código de verificação, chave secreta, chave privada,
  wachtwoord, toegangscode, verificatiecode, beveiligingscode, hasło, hasła, kod weryfikacyjny,
  klucz prywatny, heslo, hesla, ověřovací kód, jelszó, lösenord, engångskod, verifieringskod,
  adgangskode, kodeord, engangskode, passord, salasana, vahvistuskoodi, tunnusluku, parolă, şifre,
  parola, doğrulama kodu, güvenlik kodu, пароль, пароля, паролем, код подтверждения, код из смс,
  пин-код, секретный ключ, код безопасности, код підтвердження, секретний ключ, парола,
  κωδικός πρόσβασης, συνθηματικό, 密码, 密碼, 口令, 验证码, 驗證碼, 私钥, 密钥, 助记词, パスワード, 暗証番号, 認証コード, 確認コード,
  秘密鍵, 비밀번호, 암호, 인증번호, 인증 코드, كلمة المرور, كلمة السر, رمز التحقق, סיסמה, סיסמא, पासवर्ड, mật khẩu,
  kata sandi, รหัสผ่าน`
  .split(",")
  .map((word) => asRead(word.trim()));

const elsewhere = (text: string): string | undefined => ELSEWHERE.find((word) => text.includes(word));

/** What a name, a title or a description of a field asks for, where that is a secret. */
export function secretIn(text: string, { isName = false }: { isName?: boolean } = {}): string | undefined {
  return firstFound(
    text,
    (read) =>
      (ENGLISH.exec(read) ?? SENT_CODE.exec(read) ?? (isName ? IN_NAMES.exec(read) : null))?.[0] ??
      elsewhere(read),
  );
}

/** The secret that a message asks for. With `canType` there is a field to type it into. */
export function secretAskedFor(message: string, canType: boolean): string | undefined {
  return firstFound(
    message,
    (read) => (ASKED_FOR.exec(read) ?? SENT_CODE.exec(read))?.[0] ?? (canType ? elsewhere(read) : undefined),
  );
}

function firstFound(text: string, look: (read: string) => string | undefined): string | undefined {
  for (const read of readings(text)) {
    const found = look(read);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A name of a field in plain letters. */
export function plainName(name: string): string {
  return replaced(asRead(name), LOOK_ALIKES);
}
